import {
  to = fleet_envelope_configmap.quota
  identity = {
    namespace = "app"
    name      = "envelope-configmap"
  }
}
