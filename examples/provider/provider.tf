terraform {
  required_providers {
    fleet = {
      source = "terraform-fleet/fleet"
    }
  }
}

provider "fleet" {
  # Warnings of the plan are not printed once more after the apply.
  applying = terraform.applying

  # Where selected objects are read from. Without a hub, placements bring their manifests with them.
  hub = {
    config_path    = "~/.kube/config"
    config_context = "hub"
  }

  members = {
    member-1 = {
      config_path    = "~/.kube/config"
      config_context = "member-1"
    }

    member-2 = {
      host                   = "https://member-2.example.com:6443"
      cluster_ca_certificate = file("member-2-ca.pem")
      exec = {
        api_version = "client.authentication.k8s.io/v1"
        command     = "kubelogin"
        args        = ["get-token", "--login", "azurecli", "--server-id", "6dae42f8-4368-4678-94ff-3960e28e3630"]
      }
    }
  }
}
