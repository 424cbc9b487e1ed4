//go:build unix

package clusters_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/net"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
)

const deployment = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      initContainers: [{name: setup, image: registry.example/setup}]
      containers: [{name: web, image: registry.example/web}]
`

const job = `
apiVersion: batch/v1
kind: Job
metadata: {name: once}
spec:
  template:
    spec:
      restartPolicy: Never
      containers: [{name: once, image: registry.example/once}]
`

// Admission adds a finalizer to claims. A controller must remove the finalizer.
const claim = `
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data}
spec:
  accessModes: [ReadWriteOnce]
  resources: {requests: {storage: 1Gi}}
`

const configMap = `{apiVersion: v1, kind: ConfigMap, metadata: {name: settings}, data: {a: "1"}}`

func TestMembersRunPods(t *testing.T) {
	clusters.Need(t, env)
	for _, name := range env.Members {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := client(t, name)
			ns := namespace(t, c)
			create(t, c.Resource(deployments).Namespace(ns), deployment)
			create(t, c.Resource(jobs).Namespace(ns), job)
			eventually(t, "Deployment available", 30*time.Second, func() error {
				return condition(c.Resource(deployments).Namespace(ns), "web", "Available")
			})
			eventually(t, "Job complete", 30*time.Second, func() error {
				return condition(c.Resource(jobs).Namespace(ns), "once", "Complete")
			})
			if err := c.Resource(deployments).Namespace(ns).Delete(t.Context(), "web", metav1.DeleteOptions{}); err != nil {
				t.Fatal(err)
			}
			eventually(t, "pods gone", 30*time.Second, func() error {
				list, err := c.Resource(pods).Namespace(ns).List(t.Context(), metav1.ListOptions{LabelSelector: "app=web"})
				if err == nil && len(list.Items) > 0 {
					err = fmt.Errorf("%d pods still exist", len(list.Items))
				}
				return err
			})
		})
	}
}

// TestKwokIsRestarted checks that a member runs pods again after its kwok has ended by itself.
func TestKwokIsRestarted(t *testing.T) {
	clusters.Need(t, env)
	name := env.Members[0]
	kwok := func() int {
		for _, cluster := range inspect(t, env.Kubeconfig).Clusters {
			if cluster.Name == name {
				return cluster.Processes["kwok"]
			}
		}
		return 0
	}
	before := kwok()
	if before == 0 {
		t.Fatalf("%s has no kwok", name)
	}
	if err := syscall.Kill(before, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	c := client(t, name)
	ns := namespace(t, c)
	create(t, c.Resource(deployments).Namespace(ns), deployment)
	eventually(t, "Deployment available", 60*time.Second, func() error {
		return condition(c.Resource(deployments).Namespace(ns), "web", "Available")
	})
	if now := kwok(); now == 0 || now == before {
		t.Errorf("kwok was process %d, and is %d", before, now)
	}
}

func TestNamespacesCanBeDeleted(t *testing.T) {
	clusters.Need(t, env)
	for _, name := range env.Contexts() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := client(t, name)
			ns := namespace(t, c)
			create(t, c.Resource(claims).Namespace(ns), claim)
			create(t, c.Resource(configMaps).Namespace(ns), configMap)
			if name != env.Hub {
				create(t, c.Resource(deployments).Namespace(ns), deployment)
			}
			if err := c.Resource(namespaces).Delete(t.Context(), ns, metav1.DeleteOptions{}); err != nil {
				t.Fatal(err)
			}
			eventually(t, "namespace gone", time.Minute, func() error {
				object, err := c.Resource(namespaces).Get(t.Context(), ns, metav1.GetOptions{})
				if apierrors.IsNotFound(err) {
					return nil
				}
				if err != nil {
					return err
				}
				return fmt.Errorf("still exists: %v", object)
			})
		})
	}
}

func TestCredentials(t *testing.T) {
	clusters.Need(t, env)
	for _, name := range env.Contexts() {
		t.Run(name, func(t *testing.T) {
			ns := namespace(t, client(t, name))
			create(t, client(t, clusters.Certificate(name)).Resource(configMaps).Namespace(ns), configMap)

			readonly := client(t, clusters.Readonly(name))
			if _, err := readonly.Resource(secrets).List(t.Context(), metav1.ListOptions{}); err != nil {
				t.Errorf("the read-only user may not list Secrets: %v", err)
			}
			for what, options := range map[string]metav1.DeleteOptions{"a deletion": {}, "a dry run": {DryRun: []string{"All"}}} {
				err := readonly.Resource(configMaps).Namespace(ns).Delete(t.Context(), "settings", options)
				if !apierrors.IsForbidden(err) {
					t.Errorf("%s by the read-only user: %v, want it forbidden", what, err)
				}
			}
			_, err := client(t, clusters.Expired(name)).Resource(secrets).List(t.Context(), metav1.ListOptions{})
			if !apierrors.IsUnauthorized(err) {
				t.Errorf("a list with the expired token: %v, want 401", err)
			}
		})
	}
}

// A credential must be valid for one cluster only. Otherwise a test could not detect that a provider uses the wrong cluster.
func TestCredentialsOpenOneCluster(t *testing.T) {
	clusters.Need(t, env)
	for _, credential := range []string{env.Members[0], clusters.Certificate(env.Members[0])} {
		config, err := env.RESTConfig(credential)
		if err != nil {
			t.Fatal(err)
		}
		other, err := env.RESTConfig(env.Members[1])
		if err != nil {
			t.Fatal(err)
		}
		config.Host, config.CAData = other.Host, other.CAData
		if err := get(t, config, "/api/v1/secrets"); !apierrors.IsUnauthorized(err) {
			t.Errorf("%s on %s: %v, want 401", credential, env.Members[1], err)
		}
	}
}

func TestStopMember(t *testing.T) {
	clusters.Need(t, env)
	if !env.CanStopMembers() {
		t.Fatal("clusters started by the tests must support StopMember")
	}
	name, other := env.Members[1], env.Members[0]
	c := client(t, name)
	ns := namespace(t, c)
	create(t, c.Resource(configMaps).Namespace(ns), configMap)

	if err := env.StopMember(t.Context(), name); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Resource(namespaces).List(t.Context(), metav1.ListOptions{}); !net.IsConnectionRefused(err) {
		t.Errorf("a request to a stopped member: %v, want connection refused", err)
	}
	if _, err := client(t, other).Resource(namespaces).List(t.Context(), metav1.ListOptions{}); err != nil {
		t.Errorf("the other member: %v", err)
	}

	begin := time.Now()
	if err := env.StartMember(t.Context(), name); err != nil {
		t.Fatal(err)
	}
	t.Logf("started again in %s", time.Since(begin).Round(time.Millisecond))
	if _, err := c.Resource(configMaps).Namespace(ns).Get(t.Context(), "settings", metav1.GetOptions{}); err != nil {
		t.Errorf("an object from before the stop: %v", err)
	}
	create(t, c.Resource(deployments).Namespace(ns), deployment)
	eventually(t, "Deployment available", 30*time.Second, func() error {
		return condition(c.Resource(deployments).Namespace(ns), "web", "Available")
	})
	if err := env.StartMember(t.Context(), name); err == nil {
		t.Error("starting a running member succeeded")
	}
	if err := env.StopMember(t.Context(), "member-9"); err == nil {
		t.Error("stopping a member that does not exist succeeded")
	}
}

func TestExistingClusters(t *testing.T) {
	clusters.Need(t, env)
	t.Setenv(clusters.KubeconfigVariable, env.Kubeconfig)
	t.Setenv(clusters.ControlVariable, "")
	existing, err := clusters.Start(t.Context(), clusters.Options{Members: 2, Log: t.Output()})
	if err != nil {
		t.Fatal(err)
	}
	if existing.CanStopMembers() || existing.Hub != "hub" || len(existing.Members) != 2 || !existing.Has("hub-readonly") {
		t.Errorf("%+v", existing)
	}
	if err := existing.StopMember(t.Context(), "member-1"); !errors.Is(err, clusters.ErrUnsupported) {
		t.Errorf("stop a member: %v", err)
	}
	if err := existing.Stop(); err != nil {
		t.Error(err)
	}
	if err := get(t, must(env.RESTConfig(env.Hub))(t), "/api/v1/namespaces"); err != nil {
		t.Errorf("Stop stopped clusters that it had not started: %v", err)
	}
	if _, err := clusters.Start(t.Context(), clusters.Options{Members: 30}); err == nil {
		t.Error("found thirty members")
	}
	if !existing.Outlives() || existing.Disposable() || !env.Disposable() {
		t.Error("a user's clusters are not distinguished from the tests' own")
	}

	// A run of the suite gives its own clusters to packages, which can stop them.
	t.Setenv(clusters.ControlVariable, filepath.Dir(env.Kubeconfig))
	handed, err := clusters.Start(t.Context(), clusters.Options{Members: 2, Log: t.Output()})
	if err != nil {
		t.Fatal(err)
	}
	if !handed.Outlives() || !handed.Disposable() || !handed.CanStopMembers() {
		t.Errorf("%+v", handed)
	}
	if err := handed.StopMember(t.Context(), "member-9"); err == nil || !strings.Contains(err.Error(), "member-9") {
		t.Errorf("stop a member that does not exist: %v", err)
	}
}
