! persistent.f90 - persistent sums by Fortran, each started twice: MODULE is mpi or mpi_f08, REQUEST
! the type of requests, MPIX_ is MPI_ where MPI 4 has them, and EXTENSIONS their module elsewhere.
program persistent
  use MODULE
  EXTENSIONS
  implicit none
  integer, parameter :: n = 600
  integer :: rank, nrank, i, turn, error, counts(64)
  real :: in(n), out(n, 4), block(n)
  REQUEST :: all(4)
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, nrank, error)
  counts = 0
  counts(1) = n
  out = 0
  call MPIX_Allreduce_init(in, out(:, 1), n, MPI_REAL, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &
    all(1), error)
  call MPIX_Reduce_init(in, out(:, 2), n, MPI_REAL, MPI_SUM, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &
    all(2), error)
  call MPIX_Reduce_scatter_init(in, out(:, 3), counts, MPI_REAL, MPI_SUM, MPI_COMM_WORLD, &
    MPI_INFO_NULL, all(3), error)
  call MPIX_Reduce_scatter_block_init(in, block, n / nrank, MPI_REAL, MPI_SUM, MPI_COMM_WORLD, &
    MPI_INFO_NULL, all(4), error)
  do turn = 0, 1
    do i = 1, n
      in(i) = value(rank + turn, i - 1)
    end do
    call MPI_Start(all(1), error)
    call MPI_Startall(3, all(2:4), error)
    call MPI_Waitall(4, all, MPI_STATUSES_IGNORE, error)
    out(1:n / nrank, 4) = block(1:n / nrank)
    if (rank == 0) then
      do i = 1, 4
        write (*, '(I1, A, I1, A, 600(Z8.8))') turn, '-', i, ' ', &
          out(1:merge(n / nrank, n, i == 4), i)
      end do
    end if
  end do
  do i = 1, 4
    call MPI_Request_free(all(i), error)
  end do
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
end program
