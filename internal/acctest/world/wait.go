package world

import (
	"time"

	"sigs.k8s.io/yaml"
)

// eventTimeout is the time limit for an event that must occur. An event after the limit counts as missing.
const eventTimeout = time.Minute

// Eventually waits until so returns true. what describes the condition.
func (w *World) Eventually(what string, so func() bool) {
	w.Helper()
	for deadline := time.Now().Add(eventTimeout); !so(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			w.Fatalf("timed out waiting until %s", what)
		}
	}
}

// AwaitKinds waits until a cluster serves kinds, such as "apps/v1 Deployment".
func (w *World) AwaitKinds(cluster string, kinds ...string) {
	w.Helper()
	for _, kind := range kinds {
		ref := w.Ref(cluster, kind)
		w.Eventually(cluster+" serves "+w.Expand(kind), func() bool {
			_, err := w.On(cluster).List(w.Context(), ref.APIVersion, ref.Kind, w.Name, "")
			return err == nil
		})
	}
}

// AwaitGone waits until an object no longer exists.
func (w *World) AwaitGone(cluster, object string) {
	w.Helper()
	ref := w.Ref(cluster, object)
	w.Eventually(w.Expand(object)+" is gone", func() bool { return w.FindRef(cluster, ref) == nil })
}

// json returns YAML as JSON, expanded.
func (w *World) json(text string) []byte {
	w.Helper()
	data, err := yaml.YAMLToJSON([]byte(w.Expand(text)))
	if err != nil {
		w.Fatal(err)
	}
	return data
}
