terraform {
  required_providers {
    fleet = {
      source = "terraform-fleet/fleet"
    }
  }
}

provider "fleet" {
  # An apply does not print the warnings of its plan again.
  applying = terraform.applying

  # The provider reads selected objects from the hub. Without a hub, write the objects into the manifests of a placement.
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
