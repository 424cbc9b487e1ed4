package kube

import (
	"net/http"
	"strings"
	"testing"
)

// With LargeServerSide, an existing object that is too large for the annotation is applied server-side.
func TestLargeServerSide(t *testing.T) {
	fake := startFake(t)
	var kinds []string
	answer := func(w http.ResponseWriter, r *http.Request) {
		kinds = append(kinds, r.Header.Get("Content-Type")+" force="+r.URL.Query().Get("force"))
		writeJSON(w, http.StatusOK, configMap("a"))
	}
	fake.on("PATCH "+configMapsPath+"/a", answer)
	fake.on("POST "+configMapsPath, answer)
	cluster, ctx := fake.cluster(t), testContext(t)
	live := object(configMapGVK, "default", "a", nil)
	for _, test := range []struct {
		size  int
		live  bool
		large bool
		force bool
		want  string
	}{
		{maxAnnotationBytes, true, true, false, "application/apply-patch+yaml force=false"},
		{maxAnnotationBytes, true, true, true, "application/apply-patch+yaml force=true"},
		{maxAnnotationBytes, true, false, true, "application/strategic-merge-patch+json force="},
		{maxAnnotationBytes, false, true, true, "application/json force="},
		{1, true, true, true, "application/strategic-merge-patch+json force="},
	} {
		desired := object(configMapGVK, "default", "a", map[string]any{"data": map[string]any{"k": strings.Repeat("x", test.size)}})
		existing := live
		if !test.live {
			existing = nil
		}
		kinds = nil
		if _, _, err := cluster.ApplyClientSide(ctx, desired, existing, ApplyOptions{LargeServerSide: test.large, Force: test.force}); err != nil {
			t.Fatal(err)
		}
		if len(kinds) != 1 || kinds[0] != test.want {
			t.Errorf("%+v: %q", test, kinds)
		}
	}
}
