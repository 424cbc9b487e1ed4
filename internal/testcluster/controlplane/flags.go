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

// Users of a cluster. The group is the one that RBAC never restricts.
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

// Soft memory limits in MiB. That of etcd grows with the number of clusters:
// each holds a hundred watches open, and below what that takes etcd does
// nothing but collect garbage. An API server that lives for long comes to the
// same point, so that few of them may take more than many may.
const (
	etcdMemory         = 256
	etcdClusterMemory  = 32
	apiServerMemory    = 200
	apiServerMemoryAll = 3200
	apiServerMemoryMax = 600
	controllerMemory   = 64
)

// apiServerMemoryOf is the limit of each API server of so many clusters.
func apiServerMemoryOf(clusters int) int {
	return min(apiServerMemoryMax, max(apiServerMemory, apiServerMemoryAll/max(1, clusters)))
}

// storageControllers are what objects need that nothing runs: dependents are
// collected, service accounts and their tokens exist, and claims lose the
// finalizer that admission puts on each of them. Package namespaces stands in
// for the controller of namespaces.
var storageControllers = []string{
	"garbage-collector-controller",
	"serviceaccount-controller",
	"serviceaccount-token-controller",
	"root-ca-certificate-publisher-controller",
	"clusterrole-aggregation-controller", // view, edit and admin are empty without it
	"persistentvolumeclaim-protection-controller",
	"persistentvolume-protection-controller",
}

// workloadControllers are what pods and their owners need on top.
var workloadControllers = []string{
	"deployment-controller",
	"replicaset-controller",
	"statefulset-controller",
	"daemonset-controller",
	"job-controller",
	"cronjob-controller",
	"disruption-controller",
	"endpointslice-controller",
	"node-lifecycle-controller", // takes the not-ready taint off a new node
}

// Growth of a heap, in percent, before it is collected. Few clusters may take
// memory to save time: with 200 instead of 50 they start in two thirds of it.
const (
	fewClusters  = 8
	growthOfFew  = 200
	growthOfMany = 50
)

// heapGrowthOf is that of each server of so many clusters.
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
		// There is no network that the kubernetes Service could lead to.
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
		// Fairness between clients takes 4 % of an API server's processor time.
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

// clientFlags are common to the controller manager and the scheduler: they
// serve nothing, are the only ones of their kind, and are not throttled.
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
		"--v=WARN", // it logs every renewal of a lease otherwise
	}
}
