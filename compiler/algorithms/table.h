/* table.h - every algorithm, one line each, in the order of `ordo list`. */
ORDO_ALGORITHM(mesh)
ORDO_ALGORITHM(alltoall)
ORDO_ALGORITHM(star)
ORDO_ALGORITHM(dyadic)
ORDO_ALGORITHM(birs)
