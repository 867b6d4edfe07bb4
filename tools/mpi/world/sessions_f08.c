/* sessions_f08.c - sessions as MPICH's f08 module makes them: it calls PMPI. mpif.h calls C. */
#include <mpi.h>
#include <stddef.h>
#include <string.h>

#if MPI_VERSION >= 4 && defined MPICH
#define EXPORTED __attribute__((visibility("default")))

/* A string without the spaces at its end; what is too long is cut. */
static const char *copy_text(char text[MPI_MAX_STRINGTAG_LEN], const char *given, size_t length)
{
	while (length && given[length - 1] == ' ')
		length--;
	length = length < MPI_MAX_STRINGTAG_LEN ? length : MPI_MAX_STRINGTAG_LEN - 1;
	memcpy(text, given, length);
	text[length] = 0;
	return text;
}

static void give(MPI_Fint *error, int code)
{
	if (error)
		*error = (MPI_Fint)code;
}

/* The handles are those of C. */
EXPORTED void mpi_session_init_f08_(
	const MPI_Info *info, const MPI_Errhandler *handler, MPI_Session *session, MPI_Fint *error);
void mpi_session_init_f08_(
	const MPI_Info *info, const MPI_Errhandler *handler, MPI_Session *session, MPI_Fint *error)
{
	give(error, MPI_Session_init(*info, *handler, session));
}

EXPORTED void mpi_session_finalize_f08_(MPI_Session *session, MPI_Fint *error);
void mpi_session_finalize_f08_(MPI_Session *session, MPI_Fint *error)
{
	give(error, MPI_Session_finalize(session));
}

EXPORTED void mpi_comm_create_from_group_f08_(const MPI_Group *group, const char *tag,
	const MPI_Info *info, const MPI_Errhandler *handler, MPI_Comm *comm, MPI_Fint *error,
	size_t length);
void mpi_comm_create_from_group_f08_(const MPI_Group *group, const char *tag, const MPI_Info *info,
	const MPI_Errhandler *handler, MPI_Comm *comm, MPI_Fint *error, size_t length)
{
	char text[MPI_MAX_STRINGTAG_LEN];
	give(error, MPI_Comm_create_from_group(
			    *group, copy_text(text, tag, length), *info, *handler, comm));
}

EXPORTED void mpi_intercomm_create_from_groups_f08_(const MPI_Group *group, const MPI_Fint *leader,
	const MPI_Group *remote_group, const MPI_Fint *remote_leader, const char *tag,
	const MPI_Info *info, const MPI_Errhandler *handler, MPI_Comm *comm, MPI_Fint *error,
	size_t length);
void mpi_intercomm_create_from_groups_f08_(const MPI_Group *group, const MPI_Fint *leader,
	const MPI_Group *remote_group, const MPI_Fint *remote_leader, const char *tag,
	const MPI_Info *info, const MPI_Errhandler *handler, MPI_Comm *comm, MPI_Fint *error,
	size_t length)
{
	char text[MPI_MAX_STRINGTAG_LEN];
	give(error, MPI_Intercomm_create_from_groups(*group, *leader, *remote_group, *remote_leader,
			    copy_text(text, tag, length), *info, *handler, comm));
}
#else
extern int ordo_mpi_no_sessions;
#endif
