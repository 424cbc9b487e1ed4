#!/bin/sh
# Writes what a saved plan shows: preview.md for a comment on the pull request, and preview.html for a browser. Run it in the folder of the configuration,
# with the plan in the file tfplan. It fails if the plan has no preview, or has not read one.
set -eu

previews='[.prior_state | .. | objects | select(.mode? == "data" and .type? == "fleet_placement_preview") | .values]
  | if length == 0 or any(.report == null) then error("the plan has not read every fleet_placement_preview") else . end'

# GitHub rejects a comment of more than 65,536 characters. A report has at most 60,000 bytes, so the first one always fits. A report that does not fit is
# named by its first line.
comment='
  def first_line: .report | split("\n")[0] | ltrimstr("### ");
  reduce .[] as $preview ({text: "", rest: []};
    (.text + $preview.report + "\n") as $longer
    | if $longer | utf8bytelength <= 60100 then .text = $longer else .rest += [$preview] end)
  | .text + if .rest == [] then "" else
      "\n#### Reports that do not fit into this comment (\(.rest | length))\n\n"
      + (reduce .rest[] as $preview ({text: "", more: 0};
          (.text + "- " + ($preview | first_line) + (if $preview.assume == null then "" else " (under assumptions)" end) + "\n") as $longer
          | if .more == 0 and ($longer | utf8bytelength) <= 4000 then .text = $longer else .more += 1 end)
        | .text + if .more == 0 then "" else "- and \(.more) more\n" end)
      + "\nThe page shows all of them.\n"
    end'

# The JSON of a plan has all sensitive values of the configuration and the state.
umask 077
trap 'rm -f tfplan.json' EXIT
trap 'exit 1' INT TERM
terraform show -json tfplan >tfplan.json
jq -er "$previews | $comment" tfplan.json >preview.md
jq -e "$previews | map(.report_data)" tfplan.json >previews.json

# The function is called in the console and not in an output: the page changes with every plan, and an output that changes is a change of the plan. As base64,
# the console prints the page without escapes. A variable keeps the page, because a pipe would hide a failure of the console.
page=$(echo 'base64encode(provider::fleet::preview_html(jsondecode(file("previews.json"))))' | terraform console)
printf '%s' "$page" | tr -d '"' | base64 -d >preview.html
