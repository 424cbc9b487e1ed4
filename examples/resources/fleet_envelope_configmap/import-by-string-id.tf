import {
  to = fleet_envelope_configmap.quota
  id = "app/envelope-configmap"
}
