package takeover

import (
	"context"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube/connection"
)

var env *clusters.Env

func TestMain(m *testing.M) {
	os.Exit(clusters.Main(m, clusters.Options{Members: 1, NoHub: true, NoWorkloads: true}, &env))
}

// definitions are kinds that some cases need: one whose lists are atomic and whose fields have defaults, one with elements and a map that are
// replaced as a whole, and KubeFleet's owner.
const definitions = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.takeover.example.com}
spec:
  group: takeover.example.com
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget, listKind: WidgetList}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              letters: {type: array, items: {type: string}}
              cpu: {type: string}
              size: {type: integer}
              mode: {type: string, default: standard}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: parts.takeover.example.com}
spec:
  group: takeover.example.com
  scope: Namespaced
  names: {plural: parts, singular: part, kind: Part, listKind: PartList}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              atomic: {type: object, x-kubernetes-map-type: atomic, additionalProperties: {type: string}}
              items:
                type: array
                items: {type: object, properties: {name: {type: string}, value: {type: string}, port: {type: integer, default: 80}}}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: appliedworks.placement.kubernetes-fleet.io, annotations: {api-approved.kubernetes.io: unapproved}}
spec:
  group: placement.kubernetes-fleet.io
  scope: Cluster
  names: {plural: appliedworks, singular: appliedwork, kind: AppliedWork, listKind: AppliedWorkList}
  versions:
  - name: v1beta1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
`

// prepared is what all cases share: a member that has joined and serves the kinds, and a recorder in front of it.
type prepared struct {
	member   string
	recorder *clusters.Recorder
	// past is the member without the recorder, for what others do there.
	past *kube.Cluster
}

var prepare = sync.OnceValues(func() (*prepared, error) {
	name := env.Members[0]
	contexts := []string{name}
	if env.Has(clusters.Readonly(name)) {
		contexts = append(contexts, clusters.Readonly(name))
	}
	recorder, err := clusters.NewRecorder(env, clusters.RecorderOptions{PlainHTTP: true, Contexts: contexts})
	if err != nil {
		return nil, err
	}
	out := &prepared{member: name, recorder: recorder, past: connect(env.Kubeconfig, name, name, kube.Options{})}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if _, err := direct.New(direct.Config{Members: map[string]*kube.Cluster{name: out.past}}).ApplyMember(ctx, member.Spec{Name: name}, "", false); err != nil {
		return nil, err
	}
	for _, definition := range documents(definitions) {
		if _, err := out.past.Create(ctx, definition, kube.WriteOptions{}); err != nil && !kube.IsAlreadyExists(err) {
			return nil, err
		}
	}
	return out, out.awaitKinds(ctx, "takeover.example.com/v1 Widget", "takeover.example.com/v1 Part", "placement.kubernetes-fleet.io/v1beta1 AppliedWork")
})

// awaitKinds waits until the member serves kinds.
func (p *prepared) awaitKinds(ctx context.Context, kinds ...string) error {
	for _, text := range kinds {
		for {
			_, err := p.past.List(ctx, refOf(text).GVK, "", "")
			if err == nil {
				break
			}
			p.past.ResetDiscovery()
			select {
			case <-ctx.Done():
				return err
			case <-time.After(50 * time.Millisecond):
			}
		}
	}
	return nil
}

// connect makes a client of a member with one of the contexts of a kubeconfig.
func connect(kubeconfig, name, as string, options kube.Options) *kube.Cluster {
	options.QPS, options.Timeout = -1, 20*time.Second
	return kube.NewCluster(name, connection.Connection{ConfigPath: kubeconfig, ConfigContext: as}, options, nil)
}
