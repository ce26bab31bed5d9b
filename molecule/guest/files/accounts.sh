#!/bin/bash
# Accounts with limits, and their user.
set -euo pipefail
sacctmgr --immediate add cluster borealis
sacctmgr --immediate add account ocean,training,operators,courses,spent Cluster=borealis
sacctmgr --immediate modify account training set MaxTRESPerJob=node=1
sacctmgr --immediate modify account courses set MaxSubmitJobs=1
sacctmgr --immediate modify account spent set GrpTRESMins=node=1
sacctmgr --immediate add user "$1" Account=ocean,training,courses,spent DefaultAccount=ocean
