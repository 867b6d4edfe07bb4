! requests.f90 - nonblocking sums by Fortran, completed in every way: MODULE is mpi or mpi_f08,
! REQUEST the type of requests and STATUS that of statuses.
program requests
  use MODULE
  implicit none
  integer, parameter :: n = 600
  integer :: rank, nrank, i, error, which, done, many, list(2), counts(64)
  logical :: flag
  real :: in(n), out(n), other(n)
  REQUEST :: both(2)
  STATUS
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, nrank, error)
  counts = 0
  counts(1) = n
  do i = 1, n
    in(i) = value(rank, i - 1)
  end do
  call begin()
  call MPI_Wait(both(1), one, error)
  call MPI_Wait(both(2), MPI_STATUS_IGNORE, error)
  call show('wait')
  call begin()
  do i = 1, 2
    flag = .false.
    do while (.not. flag)
      call MPI_Test(both(i), flag, one, error)
    end do
  end do
  call show('test')
  call begin()
  call MPI_Waitall(2, both, all, error)
  call show('waitall')
  call begin()
  flag = .false.
  do while (.not. flag)
    call MPI_Testall(2, both, flag, MPI_STATUSES_IGNORE, error)
  end do
  call show('testall')
  call begin()
  do i = 1, 2
    call MPI_Waitany(2, both, which, one, error)
  end do
  call show('waitany')
  call begin()
  done = 0
  do while (done < 2)
    call MPI_Testany(2, both, which, flag, one, error)
    if (flag) done = done + 1
  end do
  call show('testany')
  call begin()
  done = 0
  do while (done < 2)
    call MPI_Waitsome(2, both, many, list, all, error)
    done = done + many
  end do
  call show('waitsome')
  call begin()
  done = 0
  do while (done < 2)
    call MPI_Testsome(2, both, many, list, all, error)
    done = done + many
  end do
  call show('testsome')
  call begin()
  do i = 1, 2
    flag = .false.
    do while (.not. flag)
      call MPI_Request_get_status(both(i), flag, one, error)
    end do
  end do
  call show('get-status')
  call MPI_Waitall(2, both, all, error)
  out = 0
  call MPI_Ireduce(in, out, n, MPI_REAL, MPI_SUM, 0, MPI_COMM_WORLD, both(1), error)
  other = in
  call MPI_Ireduce_scatter(MPI_IN_PLACE, other, counts, MPI_REAL, MPI_SUM, MPI_COMM_WORLD, &
    both(2), error)
  call MPI_Waitall(2, both, all, error)
  call show('reduce-and-scatter')
  other = out
  call MPI_Ireduce_scatter_block(in, other, n / nrank, MPI_REAL, MPI_SUM, MPI_COMM_WORLD, &
    both(1), error)
  call MPI_Wait(both(1), one, error)
  call show('scatter-block')
  call MPI_Scan(in, other, n, MPI_REAL, MPI_SUM, MPI_COMM_WORLD, error)
  call MPI_Exscan(in, other, n, MPI_REAL, MPI_SUM, MPI_COMM_WORLD, error)
  call MPI_Iscan(in, other, n, MPI_REAL, MPI_SUM, MPI_COMM_WORLD, both(1), error)
  call MPI_Wait(both(1), one, error)
  call MPI_Iexscan(in, other, n, MPI_REAL, MPI_SUM, MPI_COMM_WORLD, both(1), error)
  call MPI_Wait(both(1), one, error)
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
  subroutine begin()
    out = 0
    other = in
    call MPI_Iallreduce(in, out, n, MPI_REAL, MPI_SUM, MPI_COMM_WORLD, both(1), error)
    call MPI_Iallreduce(MPI_IN_PLACE, other, n, MPI_REAL, MPI_SUM, MPI_COMM_WORLD, both(2), error)
  end subroutine
  subroutine show(name)
    character(*), intent(in) :: name
    if (rank == 0) print '(a,1x,1200z8.8)', name, out, other
  end subroutine
end program
