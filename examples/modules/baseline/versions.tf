terraform {
  required_version = ">= 1.9"

  required_providers {
    fleet = {
      source = "terraform-fleet/fleet"
    }
  }
}
