# Places a rendered chart: chart/rendered.yaml is the output of
#
#   helm template shop ./chart --namespace bring-helm --include-crds > chart/rendered.yaml
#
# With data "helm_template", replace the file by its attribute "manifest".
locals {
  rendered = provider::fleet::manifests(file("${path.module}/chart/rendered.yaml"))

  # Nothing runs Helm's hooks here. Without this filter, the placement creates their Jobs as ordinary objects.
  objects = { for name, text in local.rendered : name => text if !can(yamldecode(text).metadata.annotations["helm.sh/hook"]) }

  # Helm creates objects without a namespace in the namespace of the release. A placement needs the namespace in the manifest.
  clustered = ["CustomResourceDefinition", "ClusterRole", "ClusterRoleBinding", "PriorityClass", "StorageClass", "Namespace"]
  manifests = { for name, text in local.objects : name =>
    contains(local.clustered, yamldecode(text).kind) ? text : yamlencode(merge(yamldecode(text), {
      metadata = merge({ namespace = "bring-helm" }, yamldecode(text).metadata)
    }))
  }
}

resource "fleet_crp" "shop" {
  name = "bring-helm"
  manifests = merge(local.manifests, {
    "namespace.yaml" = yamlencode({ apiVersion = "v1", kind = "Namespace", metadata = { name = "bring-helm" } })
  })
  depends_on = [fleet_member_cluster.member]
}
