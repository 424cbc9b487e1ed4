terraform import fleet_resource_placement.web web/app
