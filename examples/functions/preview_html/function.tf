# In `terraform console`, with the previews of a saved plan:
#   terraform show -json tfplan | jq '[.prior_state | .. | objects | select(.mode? == "data" and .type? == "fleet_placement_preview") | .values.report_data]' > previews.json
#   echo 'base64encode(provider::fleet::preview_html(jsondecode(file("previews.json"))))' | terraform console | tr -d '"' | base64 -d > preview.html
locals {
  page = provider::fleet::preview_html([data.fleet_placement_preview.web.report_data])
}
