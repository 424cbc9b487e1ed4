terraform import fleet_staged_update_run.web_3 web-3
