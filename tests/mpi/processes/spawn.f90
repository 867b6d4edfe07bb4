! A program that starts itself again, by MPI_Comm_spawn or, with an argument, by
! MPI_Comm_spawn_multiple, and sums on all processes. MODULE is mpi, mpi_f08 or mpif.h, COMM and
! INFO the types of handles.
program main
  use MODULE
  implicit none
  integer, parameter :: n = 600
  COMM :: parent, between, all
  INFO :: none(2)
  integer :: code, i, rank, a
  character(len=1000) :: name(2), way
  real :: in(n), out(n), scale
  logical :: is_high
  call MPI_Init(code)
  call MPI_Comm_get_parent(parent, code)
  is_high = parent /= MPI_COMM_NULL
  none = MPI_INFO_NULL
  if (is_high) then
    between = parent
  else
    call get_command_argument(0, name(1))
    call get_command_argument(1, way)
    name(2) = name(1)
    if (way == ' ') then
      call MPI_Comm_spawn(name(1), MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, between, &
           MPI_ERRCODES_IGNORE, code)
    else
      call MPI_Comm_spawn_multiple(2, name, MPI_ARGVS_NULL, [1, 1], none, 0, MPI_COMM_WORLD, &
           between, MPI_ERRCODES_IGNORE, code)
    end if
  end if
  call MPI_Intercomm_merge(between, is_high, all, code)
  call MPI_Comm_rank(all, rank, code)
  do i = 1, n
    a = mod((i - 1) * 7919 + rank * 104729, 1000003)
    scale = 1
    if (mod(i, 3) == 1) scale = 16384
    if (mod(i, 3) == 2) scale = 1 / 1024.
    in(i) = real(dble(a) * scale / merge(3, 7, mod(rank, 2) == 1))
  end do
  call MPI_Allreduce(in, out, n, MPI_REAL, MPI_SUM, all, code)
  if (rank == 3) print '(*(Z8.8))', out
  call MPI_Comm_free(all, code)
  call MPI_Comm_disconnect(between, code)
  call MPI_Finalize(code)
end program
