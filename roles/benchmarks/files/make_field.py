"""Write the field that fdb-hammer archives again and again: one GRIB message of exactly 1 MiB.

Its values are random, since storage may compress what is not, and the same each time.
"""

import sys

import eccodes
import numpy as np

MEBIBYTE = 1_048_576
COLUMNS, ROWS = 31_769, 11
"""The grid whose values, of 24 bits each, fill what the headers leave of 1 MiB."""

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
    if len(message) != MEBIBYTE:
        raise SystemExit(f"the field has {len(message)} bytes; {MEBIBYTE} are wanted")
    with open(path, "wb") as file:
        file.write(message)


main(sys.argv[1])
