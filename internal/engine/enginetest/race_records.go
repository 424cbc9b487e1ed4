package enginetest

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/fixture"
)

// keepRecords saves the engine's current records of the placement, for disturbRecord to restore.
func (r *race) keepRecords(placement string) {
	r.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.records = map[spot]*unstructured.Unstructured{}
	for _, cluster := range r.Members {
		for _, name := range r.Fleet.Subject.Records(placement) {
			if live := r.Find(cluster, name); live != nil {
				r.records[spot{cluster, name}] = live
			}
		}
	}
}

// disturbRecord deletes a record, or restores an older one as a backup tool would.
func (r *race) disturbRecord() {
	spots := slices.SortedFunc(maps.Keys(r.records), func(a, b spot) int { return strings.Compare(a.cluster+a.object, b.cluster+b.object) })
	at := spots[r.random.IntN(len(spots))]
	other, older := r.On(at.cluster).As(fixture.Manager), r.records[at].DeepCopy()
	live, err := other.Find(r.Context(), r.Ref(at.cluster, at.object))
	if err == nil && live != nil {
		err = other.Drop(r.Context(), live)
	}
	how := "delete"
	if err == nil && r.random.IntN(2) == 0 {
		how = "restore"
		older.SetUID("")
		older.SetResourceVersion("")
		_, err = other.Add(r.Context(), older, false)
	}
	r.log = append(r.log, fmt.Sprintf("%s record %s on %s: %v", how, at.object, at.cluster, err))
}
