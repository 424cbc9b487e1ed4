package schedule

import "slices"

// missingNamespaceReason returns the reason to reject a cluster that does not have the namespace of a ResourcePlacement, or "" for other clusters.
// A cluster whose namespaces are not collected passes. KubeFleet: the NamespaceAffinity plugin, which PickFixed does not run.
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
