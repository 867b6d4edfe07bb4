#!/usr/bin/env python3
"""test_system_cp2k.py ORDO - unmodified CP2K of the distribution, Fortran, on 5 ranks: two
molecules of water by DFTB. The energies it prints depend on the algorithm of MPI_Allreduce without
our library, and not with it."""
import os
import pathlib
import shutil
import sys
import tempfile

import launch
from tap import case, run_cases, wanted

ORDO = os.path.abspath(sys.argv[1])
RANKS, STEPS = 5, 40
FOLDER = pathlib.Path(tempfile.mkdtemp())
FORCED = [{"OMPI_MCA_coll_tuned_use_dynamic_rules": "1",
           "OMPI_MCA_coll_tuned_allreduce_algorithm": algorithm} for algorithm in ("1", "3")]
PARAMETERS = pathlib.Path("/usr/share/cp2k/DFTB/scc")
WATER = f"""
&GLOBAL
  PROJECT water
  RUN_TYPE MD
  PRINT_LEVEL LOW
&END GLOBAL
&MOTION
  &MD
    ENSEMBLE NVE
    STEPS {STEPS}
    TIMESTEP 0.5
    TEMPERATURE 600
  &END MD
&END MOTION
&FORCE_EVAL
  METHOD QS
  &DFT
    &QS
      METHOD DFTB
      &DFTB
        SELF_CONSISTENT F
        &PARAMETER
          PARAM_FILE_PATH {PARAMETERS}
          PARAM_FILE_NAME scc_parameter
        &END PARAMETER
      &END DFTB
    &END QS
    &SCF
      EPS_SCF 1e-9
    &END SCF
  &END DFT
  &SUBSYS
    &CELL
      ABC 9 9 9
    &END CELL
    &COORD
      O 0 0 0
      H 0.96 0 0
      H -0.24 0.93 0
      O 3.1 0 0
      H 4.0 0.3 0
      H 2.8 0.93 0.1
    &END COORD
  &END SUBSYS
&END FORCE_EVAL
"""


def water(name, extra, words=()):
    """Each step's time, kinetic energy, temperature, potential and conserved energy; and places."""
    folder = FOLDER / name
    folder.mkdir()
    (folder / "water.inp").write_text(WATER)
    # The program writes into the folder where it is started.
    inside = ["sh", "-c", 'cd "$0" && exec "$@"', folder, *words, CP2K, "-i", "water.inp"]
    done = launch.run("openmpi", launch.command("openmpi", RANKS, inside),
                      {**extra, "OMPI_MCA_mpi_yield_when_idle": "1", "OMP_NUM_THREADS": "1"})
    wanted(done.returncode == 0, done.stdout[-2000:], done.stderr[-2000:])
    lines = (folder / "water-1.ener").read_text().splitlines()
    # The last column is the time that the step took.
    table = [line.split()[:6] for line in lines if not line.startswith("#")]
    wanted(len(table) == STEPS + 1, table)
    return table, (folder / "water-pos-1.xyz").read_text(), done.stderr


@case("without the library the energies depend on the algorithm of MPI_Allreduce")
def _():
    one, other = (water(f"plain-{i}", extra)[0] for i, extra in enumerate(FORCED))
    differ = [i for i in range(STEPS + 1) if one[i] != other[i]]
    wanted(one[0] == other[0] and differ, one[-1], other[-1])
    print("# the first of", len(differ), "lines:", one[differ[0]], other[differ[0]])


@case("with it every printed digit is the same")
def _():
    (one, places, report), (other, others, _) = (
        water(f"ordo-{i}", extra, [ORDO, "mpi"]) for i, extra in enumerate(FORCED))
    wanted("in the order dyadic, proved" in report and "MPI_Allreduce" in report, report)
    wanted(one == other and places == others, one[-1], other[-1])


CP2K = shutil.which("cp2k.psmp") or shutil.which("cp2k.popt")
if not CP2K or not PARAMETERS.is_dir():
    print("1..0 # SKIP CP2K is not installed (Debian: cp2k)")
    sys.exit()
run_cases()
