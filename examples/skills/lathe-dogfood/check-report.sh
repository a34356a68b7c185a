#!/bin/sh
# Says which headings a report does not have: check-report.sh report.md
missing=0
for heading in "Issue" "Session" "Command" "Prompt accepted" "Git" "Checks" "Result" "Gaps"; do
  grep -Eiq "^#+ *$heading *$" "$1" || { echo "missing: $heading"; missing=1; }
done
exit $missing
