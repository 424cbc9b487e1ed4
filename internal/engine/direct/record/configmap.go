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

// Namespace is the namespace of the engine's records on every member.
const Namespace = "fleet-system"

var (
	// ConfigMapKind and SecretKind are the kinds of the records.
	ConfigMapKind = schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}
	SecretKind    = schema.GroupVersionKind{Version: "v1", Kind: "Secret"}
	namespaceKind = schema.GroupVersionKind{Version: "v1", Kind: "Namespace"}
)

// KindLabel marks the ConfigMaps and Secrets of the engine. Its value is MemberKind, PlacementKind or OverrideKind.
const (
	KindLabel     = "fleet.terraform.io/record"
	MemberKind    = "member-cluster"
	PlacementKind = "placement"
	OverrideKind  = "override"
)

func newConfigMap(name, kind string, values map[string]any) (*unstructured.Unstructured, error) {
	data := map[string]any{}
	for key, value := range values {
		text, err := json.MarshalIndent(value, "", "  ")
		if err != nil {
			return nil, err
		}
		data[key] = string(text)
	}
	return newRecord(ConfigMapKind, name, kind, map[string]any{"data": data}), nil
}

// newRecord returns an object of the engine with its content. kind is the value of KindLabel. Every record is created here.
func newRecord(gvk schema.GroupVersionKind, name, kind string, content map[string]any) *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: content}
	u.SetGroupVersionKind(gvk)
	u.SetNamespace(Namespace)
	u.SetName(name)
	u.SetLabels(map[string]string{KindLabel: kind})
	return u
}

func decodeKey(u *unstructured.Unstructured, key string, into any) error {
	text, _, _ := unstructured.NestedString(u.Object, "data", key)
	// Values of type json.RawMessage (the value of a patch) must not keep the indentation of the record.
	var compact bytes.Buffer
	err := json.Compact(&compact, []byte(text))
	if err == nil {
		err = json.Unmarshal(compact.Bytes(), into)
	}
	if err != nil {
		return fmt.Errorf("the ConfigMap %s/%s is not readable (key %q: %w); this provider wrote it, and it has been changed since. Restore it from "+
			"a backup. If that is impossible, delete it: the next apply finds the objects of a placement by their label and records them as "+
			"pre-existing, so a destroy keeps them; import other resources again", u.GetNamespace(), u.GetName(), key, err)
	}
	return nil
}

// Put creates the record, or updates it if its content, labels or annotations differ, and returns the stored record. live is the record as read, or nil
// if there is none. The update fails if the record has changed since it was read.
func Put(ctx context.Context, cluster *kube.Cluster, want, live *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	if live == nil {
		return cluster.Create(ctx, want, kube.WriteOptions{})
	}
	if Holds(live, want) {
		return live, nil
	}
	return cluster.Update(ctx, withContent(live, want), kube.WriteOptions{})
}

// Holds reports whether the live record has the content, labels and annotations of want.
func Holds(live, want *unstructured.Unstructured) bool {
	return reflect.DeepEqual(withContent(live, want).Object, live.Object)
}

func withContent(live, want *unstructured.Unstructured) *unstructured.Unstructured {
	next := live.DeepCopy()
	for _, field := range []string{"data", "type"} {
		if value, found := want.Object[field]; found {
			next.Object[field] = value
		}
	}
	next.SetLabels(mergeMaps(live.GetLabels(), want.GetLabels()))
	next.SetAnnotations(mergeMaps(live.GetAnnotations(), want.GetAnnotations()))
	return next
}

func mergeMaps(base, over map[string]string) map[string]string {
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

// Find returns a record, or nil if it does not exist.
func Find(ctx context.Context, cluster *kube.Cluster, kind schema.GroupVersionKind, name string) (*unstructured.Unstructured, error) {
	live, err := cluster.Get(ctx, kind, Namespace, name)
	if kube.IsNotFound(err) {
		return nil, nil //nolint:nilnil // nil means not found
	}
	return live, err
}

// EnsureNamespace creates the namespace of the records on a cluster if it does not exist.
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

// Remove deletes the object with the UID of u. It is no error if the object does not exist.
func Remove(ctx context.Context, cluster *kube.Cluster, u *unstructured.Unstructured) error {
	err := cluster.Delete(ctx, kube.RefOf(u), u.GetUID(), metav1.DeletePropagationBackground)
	if kube.IsNotFound(err) {
		return nil
	}
	return err
}
