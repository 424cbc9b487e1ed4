terraform {
  required_providers {
    fleet = {
      source = "terraform-fleet/fleet"
    }
  }
}
