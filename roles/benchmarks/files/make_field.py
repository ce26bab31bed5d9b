"""Write the field that fdb-hammer archives again and again: a GRIB message of almost 1 MiB.

Its values are random, since storage may compress other values, but they are the same each time. It
is one value short of 1 MiB: FDB reads into a buffer of 4 MiB, and if fields fill it to the last
byte, FDB asks DAOS for zero bytes, which DAOS never answers (`assay.tools.fdb_hammer`).
"""

import sys

import eccodes
import numpy as np

BYTES = 1_048_573
COLUMNS, ROWS = 58_243, 6
"""The grid; its values of 24 bits fill the bytes that the headers leave."""

KEYS = {
    "centre": "ecmf",
    "setLocalDefinition": 1,
    "productDefinitionTemplateNumber": 1,  # a member of an ensemble: fdb-hammer sets its number
    "stream": "enfo",
    "type": "pf",
    "expver": "assy",
    "dataDate": 20200101,
    "dataTime": 0,
    "typeOfLevel": "isobaricInhPa",  # fdb-hammer sets the level
    "level": 1,
    "gridType": "regular_ll",
    "Ni": COLUMNS,
    "Nj": ROWS,
    "bitsPerValue": 24,
}


def main(path: str) -> None:
    """Write the field to `path`."""
    field = eccodes.codes_grib_new_from_samples("GRIB2")
    for key, value in KEYS.items():
        eccodes.codes_set(field, key, value)
    eccodes.codes_set_values(field, np.random.default_rng(0).random(COLUMNS * ROWS))
    message = eccodes.codes_get_message(field)
    if len(message) != BYTES:
        raise SystemExit(f"the field has {len(message)} bytes instead of {BYTES}")
    with open(path, "wb") as file:
        file.write(message)


main(sys.argv[1])
