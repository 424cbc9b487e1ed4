terraform import fleet_resource_override.web override-web/web
