package selection

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

type queryKey struct {
	kind                           schema.GroupVersionKind
	namespace, name, labelSelector string
}

func (q Query) key() queryKey {
	return queryKey{kind: q.Kind.groupVersionKind(), namespace: q.Namespace, name: q.Name, labelSelector: q.LabelSelector}
}

// fetch returns the answer to a query. If there is none yet, it returns nothing and adds the query to the pending ones.
func (r *resolver) fetch(q Query) []*unstructured.Unstructured {
	answer, asked := r.answers[q.key()]
	if !asked {
		r.answers[q.key()] = nil
		r.pending = append(r.pending, q)
	}
	return answer
}

func (r *resolver) runPending(list Lister) (more bool, err error) {
	if len(r.pending) == 0 {
		return false, nil
	}
	answers, err := list(r.pending)
	if err != nil {
		return false, err
	}
	if len(answers) != len(r.pending) {
		return false, fmt.Errorf("%d answers to %d queries", len(answers), len(r.pending))
	}
	for i, q := range r.pending {
		r.answers[q.key()] = answers[i]
	}
	r.pending = nil
	return true, nil
}

func labelsOf(u *unstructured.Unstructured) labels.Set { return u.GetLabels() }
