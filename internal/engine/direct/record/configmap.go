package record

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// Namespace is where the engine keeps its records, on every member.
const Namespace = "fleet-system"

var (
	// ConfigMapKind and SecretKind are those of the records.
	ConfigMapKind = schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}
	SecretKind    = schema.GroupVersionKind{Version: "v1", Kind: "Secret"}
	namespaceKind = schema.GroupVersionKind{Version: "v1", Kind: "Namespace"}
)

// KindLabel tells the engine's own ConfigMaps and Secrets from others; its value is one of these.
const (
	KindLabel     = "fleet.terraform.io/record"
	MemberKind    = "member-cluster"
	PlacementKind = "placement"
	OverrideKind  = "override"
)

// newConfigMap makes one of the engine's ConfigMaps; the values are kept as JSON that a person can read.
func newConfigMap(name, kind string, values map[string]any) (*unstructured.Unstructured, error) {
	data := map[string]any{}
	for key, value := range values {
		text, err := json.MarshalIndent(value, "", "  ")
		if err != nil {
			return nil, err
		}
		data[key] = string(text)
	}
	u := &unstructured.Unstructured{Object: map[string]any{"data": data}}
	u.SetGroupVersionKind(ConfigMapKind)
	u.SetNamespace(Namespace)
	u.SetName(name)
	u.SetLabels(map[string]string{KindLabel: kind})
	return u, nil
}

func decodeKey(u *unstructured.Unstructured, key string, into any) error {
	text, _, _ := unstructured.NestedString(u.Object, "data", key)
	// The record is indented for people. JSON that is kept in it as it is, the value of a patch, was not.
	var compact bytes.Buffer
	err := json.Compact(&compact, []byte(text))
	if err == nil {
		err = json.Unmarshal(compact.Bytes(), into)
	}
	if err != nil {
		return fmt.Errorf("the ConfigMap %s/%s is not readable (key %q: %w); it was written by this provider and has been changed since. "+
			"Restore it from a backup. If that cannot be done, delete it: the next apply finds the objects of a placement again by their label and "+
			"records them as objects that were there before, which a destroy then leaves; other resources are imported again", u.GetNamespace(), u.GetName(), key, err)
	}
	return nil
}

// Put makes a record as it should be: it creates it, or updates it if its content or marks differ, and writes nothing otherwise. live is
// the record as it was read, nil if there is none; an update fails if somebody has changed it since. It returns the record as stored.
func Put(ctx context.Context, cluster *kube.Cluster, want, live *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	if live == nil {
		return cluster.Create(ctx, want, kube.WriteOptions{})
	}
	if Holds(live, want) {
		return live, nil
	}
	return cluster.Update(ctx, updated(live, want), kube.WriteOptions{})
}

// Holds tells whether a record is as it should be.
func Holds(live, want *unstructured.Unstructured) bool {
	return reflect.DeepEqual(updated(live, want).Object, live.Object)
}

func updated(live, want *unstructured.Unstructured) *unstructured.Unstructured {
	next := live.DeepCopy()
	for _, field := range []string{"data", "type"} {
		if value, found := want.Object[field]; found {
			next.Object[field] = value
		}
	}
	next.SetLabels(merged(live.GetLabels(), want.GetLabels()))
	next.SetAnnotations(merged(live.GetAnnotations(), want.GetAnnotations()))
	return next
}

func merged(base, over map[string]string) map[string]string {
	if len(base)+len(over) == 0 {
		return nil
	}
	out := map[string]string{}
	for _, source := range []map[string]string{base, over} {
		for key, value := range source {
			out[key] = value
		}
	}
	return out
}

// Find reads a record, nil if there is none.
func Find(ctx context.Context, cluster *kube.Cluster, kind schema.GroupVersionKind, name string) (*unstructured.Unstructured, error) {
	live, err := cluster.Get(ctx, kind, Namespace, name)
	if kube.IsNotFound(err) {
		return nil, nil //nolint:nilnil // nil says that there is none
	}
	return live, err
}

// EnsureNamespace makes the namespace of the records on a cluster.
func EnsureNamespace(ctx context.Context, cluster *kube.Cluster) error {
	_, err := cluster.Get(ctx, namespaceKind, "", Namespace)
	if !kube.IsNotFound(err) {
		return err
	}
	u := &unstructured.Unstructured{Object: map[string]any{}}
	u.SetGroupVersionKind(namespaceKind)
	u.SetName(Namespace)
	if _, err = cluster.Create(ctx, u, kube.WriteOptions{}); kube.IsAlreadyExists(err) {
		return nil
	}
	return err
}

// Remove deletes the very object that was read; one that is gone is no error.
func Remove(ctx context.Context, cluster *kube.Cluster, u *unstructured.Unstructured) error {
	err := cluster.Delete(ctx, kube.RefOf(u), u.GetUID(), metav1.DeletePropagationBackground)
	if kube.IsNotFound(err) {
		return nil
	}
	return err
}
