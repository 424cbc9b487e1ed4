package controlplane

import (
	"fmt"
	"strings"
)

// Files in a cluster's directory.
const (
	caCert           = "ca.crt"
	servingCert      = "serving.crt"
	servingKey       = "serving.key"
	accountKey       = "service-account.key"
	accountPub       = "service-account.pub"
	tokenFile        = "tokens.csv"
	stagesFile       = "stages.yaml"
	controllerConfig = "controllers.kubeconfig"
)

// Users of a cluster. RBAC never restricts the group.
const (
	adminUser    = "fleet-test-admin"
	adminGroup   = "system:masters"
	readonlyUser = "fleet-test-readonly"
)

const (
	serviceRange = "10.0.0.0/24"
	serviceIP    = "10.0.0.1"
	issuer       = "https://kubernetes.default.svc"
)

// Soft memory limits in MiB. etcd's limit grows with the number of clusters: each cluster keeps a hundred watches open. With less memory than these need, etcd
// spends its time on garbage collection. The same happens to a long-running API server, so the limit of an API server is higher if there are few clusters.
const (
	etcdMemory         = 256
	etcdClusterMemory  = 32
	apiServerMemory    = 200
	apiServerMemoryAll = 3200
	apiServerMemoryMax = 600
	controllerMemory   = 64
)

// apiServerMemoryOf returns the limit of each API server for a number of clusters.
func apiServerMemoryOf(clusters int) int {
	return min(apiServerMemoryMax, max(apiServerMemory, apiServerMemoryAll/max(1, clusters)))
}

// storageControllers are needed even in a cluster that runs no Pods: they collect dependents, create service accounts and their tokens, and remove the
// finalizer that admission adds to each PersistentVolumeClaim. Package namespaces replaces the namespace controller.
var storageControllers = []string{
	"garbage-collector-controller",
	"serviceaccount-controller",
	"serviceaccount-token-controller",
	"root-ca-certificate-publisher-controller",
	"clusterrole-aggregation-controller", // without it, view, edit and admin are empty
	"persistentvolumeclaim-protection-controller",
	"persistentvolume-protection-controller",
}

// workloadControllers are also needed in a cluster that runs Pods.
var workloadControllers = []string{
	"deployment-controller",
	"replicaset-controller",
	"statefulset-controller",
	"daemonset-controller",
	"job-controller",
	"cronjob-controller",
	"disruption-controller",
	"endpointslice-controller",
	"node-lifecycle-controller", // removes the not-ready taint from a new node
}

// Growth of a heap, in percent, before it is collected. A few clusters may use more memory to save time: with 200 instead of 50 they start in two thirds of the
// time.
const (
	fewClusters  = 8
	growthOfFew  = 200
	growthOfMany = 50
)

// heapGrowthOf returns the growth for each server, for a number of clusters.
func heapGrowthOf(clusters int) int {
	if clusters <= fewClusters {
		return growthOfFew
	}
	return growthOfMany
}

func (c *Cluster) apiServerFlags(port int) []string {
	return []string{
		"--etcd-servers=" + c.Etcd.URL,
		"--etcd-cafile=" + c.Etcd.CAFile,
		"--etcd-certfile=" + c.Etcd.CertFile,
		"--etcd-keyfile=" + c.Etcd.KeyFile,
		"--etcd-prefix=/" + c.Name,
		"--bind-address=127.0.0.1",
		"--advertise-address=127.0.0.1",
		// No network exists that the kubernetes Service could route to.
		"--endpoint-reconciler-type=none",
		fmt.Sprintf("--secure-port=%d", port),
		"--tls-cert-file=" + c.file(servingCert),
		"--tls-private-key-file=" + c.file(servingKey),
		"--client-ca-file=" + c.file(caCert),
		"--token-auth-file=" + c.file(tokenFile),
		"--authorization-mode=RBAC",
		"--service-cluster-ip-range=" + serviceRange,
		"--service-account-issuer=" + issuer,
		"--service-account-key-file=" + c.file(accountPub),
		"--service-account-signing-key-file=" + c.file(accountKey),
		"--profiling=false",
		// Fairness between clients costs 4 % of an API server's CPU time.
		"--enable-priority-and-fairness=false",
	}
}

func (c *Cluster) controllerManagerFlags() []string {
	controllers := storageControllers
	if c.Workloads {
		controllers = append(append([]string(nil), controllers...), workloadControllers...)
	}
	return append(c.clientFlags(),
		"--controllers="+strings.Join(controllers, ","),
		"--service-account-private-key-file="+c.file(accountKey),
		"--root-ca-file="+c.file(caCert),
	)
}

func (c *Cluster) schedulerFlags() []string { return c.clientFlags() }

// clientFlags returns the flags that the controller manager and the scheduler share: they disable the server, leader election and profiling, and
// allow more requests than the default.
func (c *Cluster) clientFlags() []string {
	return []string{
		"--kubeconfig=" + c.file(controllerConfig),
		"--leader-elect=false",
		"--secure-port=0",
		"--kube-api-qps=200",
		"--kube-api-burst=400",
		"--profiling=false",
	}
}

func (c *Cluster) kwokFlags() []string {
	return []string{
		"--kubeconfig=" + c.file(controllerConfig),
		"--config=" + c.file(stagesFile),
		"--manage-all-nodes=true",
		"--node-lease-duration-seconds=40",
		"--v=WARN", // otherwise it logs every renewal of a lease
	}
}
