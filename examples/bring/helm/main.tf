# Places a rendered chart: built/rendered.yaml is the output of
#
#   helm template shop ./chart --namespace bring-helm --include-crds > built/rendered.yaml
#
# With data "helm_template", replace the file by its attribute "manifest".
locals {
  # The second argument is the namespace of the release: charts do not write it into every object.
  rendered = provider::fleet::manifests(file("${path.module}/built/rendered.yaml"), "bring-helm")

  # Nothing runs Helm's hooks here. Without this filter, the placement creates their Jobs as ordinary objects.
  manifests = { for name, text in local.rendered : name => text if !can(yamldecode(text).metadata.annotations["helm.sh/hook"]) }
}

resource "fleet_crp" "shop" {
  name = "bring-helm"
  manifests = merge(local.manifests, {
    "namespace.yaml" = yamlencode({ apiVersion = "v1", kind = "Namespace", metadata = { name = "bring-helm" } })
  })
  depends_on = [fleet_member_cluster.member]
}
