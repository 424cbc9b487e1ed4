terraform import fleet_crp.web web
