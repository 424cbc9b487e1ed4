package schedule

import "slices"

// missingNamespaceReason returns the reason to reject a cluster that does not have the namespace of a ResourcePlacement, or "" for other clusters. A cluster
// whose namespaces are not collected passes. The check is that of KubeFleet's NamespaceAffinity plugin, which KubeFleet does not run for PickFixed.
func missingNamespaceReason(c *Cluster, namespace string) string {
	switch {
	case namespace == "" || !c.NamespacesCollected:
		return ""
	case c.Namespaces == nil:
		return "cluster has no namespace information available"
	case !slices.Contains(c.Namespaces, namespace):
		return "target namespace does not exist on cluster"
	}
	return ""
}
