package memberpreview

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestDeletionProblem(t *testing.T) {
	t.Parallel()
	object := &unstructured.Unstructured{Object: map[string]any{}}
	if text := deletionProblem(object); text != "" {
		t.Error(text)
	}
	now := metav1.Now()
	object.SetDeletionTimestamp(&now)
	object.SetFinalizers([]string{"example.org/wait"})
	if text := deletionProblem(object); !strings.Contains(text, "terminating") || !strings.Contains(text, "example.org/wait") {
		t.Error(text)
	}
}
