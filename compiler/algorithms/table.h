/* table.h - every algorithm, one line each, in the order of `ordo list`. */
ORDO_ALGORITHM(mesh)
