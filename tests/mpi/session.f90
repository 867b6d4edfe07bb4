! A program that starts MPI by a session: MODULE is mpi or mpi_f08, DECLARATIONS what handles are.
program main
  use MODULE
  implicit none
  DECLARATIONS
  integer :: code, i, rank
  real :: a(4), b(4)
  call MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, session, code)
  call MPI_Group_from_session_pset(session, "mpi://WORLD", group, code)
  call MPI_Comm_create_from_group(group, "ordo  ", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, comm, code)
  call MPI_Comm_rank(comm, rank, code)
  a = [(real(i + rank), i = 1, 4)]
  call MPI_Allreduce(a, b, 4, MPI_REAL, MPI_SUM, comm, code)
  if (code /= MPI_SUCCESS .or. any(b /= [3., 5., 7., 9.])) stop 1
  call MPI_Comm_free(comm, code)
  call MPI_Group_free(group, code)
  call MPI_Session_finalize(session, code)
end program
