/* checker.h - does the certificate prove the schedule? It knows nothing of libordo. */
#ifndef ORDO_SECOND_CHECKER_H
#define ORDO_SECOND_CHECKER_H

enum verdict { ACCEPTED = 0, REJECTED = 1, UNREADABLE = 3 };

/* Both texts, a schedule in file form and a certificate, end in NUL; report says why not, or what was proved. */
enum verdict check_certificate(const char *schedule, const char *certificate, char report[256]);

#endif
