#!/bin/sh
# Writes preview.md as a comment on the pull request PR, or updates the comment that an earlier run of the same job wrote. Comments of others remain unchanged,
# also those of other workflows, which have the same author. PAGE is the address of the page. It needs gh, and the variables that GitHub Actions sets.
set -eu

marker="<!-- fleet preview: $GITHUB_WORKFLOW, $GITHUB_JOB -->"
{
  printf '%s\n' "$marker"
  cat preview.md
  printf '\n[All details, as a page for a browser](%s)\n' "$PAGE"
} >comment.md

comments="repos/$GITHUB_REPOSITORY/issues/$PR/comments"
gh api --paginate "$comments" >comments.json
id=$(jq -r --arg marker "$marker" '.[] | select(.user.login == "github-actions[bot]" and (.body | startswith($marker))) | .id' comments.json | tail -n 1)
if [ -n "$id" ]; then
  gh api --silent --method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$id" --field body=@comment.md
else
  gh api --silent --method POST "$comments" --field body=@comment.md
fi
