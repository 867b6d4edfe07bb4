! program.f90 - the sums of program.c, by Fortran: MODULE is mpi or mpi_f08; or it includes mpif.h.
program reductions
  use MODULE
  implicit none
  integer, parameter :: n = 600
  integer :: rank, nrank, i, error
  real :: in(n), out(n)
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, nrank, error)
  do i = 1, n
    in(i) = value(rank, i - 1)
  end do
  call MPI_Allreduce(in, out, n, MPI_REAL, MPI_SUM, MPI_COMM_WORLD, error)
  call show('world-allreduce')
  out = in
  call MPI_Allreduce(MPI_IN_PLACE, out, n, MPI_REAL, MPI_SUM, MPI_COMM_WORLD, error)
  call show('world-in-place')
  call MPI_Reduce(in, out, n, MPI_REAL, MPI_SUM, 0, MPI_COMM_WORLD, error)
  call show('world-reduce-0')
  call MPI_Finalize(error)
contains
  real function value(r, k)
    integer, intent(in) :: r, k
    double precision :: x
    x = mod(k * 7919 + r * 104729, 1000003)
    if (mod(k, 3) == 0) x = x * 16384
    if (mod(k, 3) == 1) x = x / 1024
    value = real(x / merge(3, 7, mod(r, 2) == 1))
  end function
  subroutine show(name)
    character(*), intent(in) :: name
    if (rank == 0) print '(a,1x,600z8.8)', name, out
  end subroutine
end program
