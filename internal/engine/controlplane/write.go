package controlplane

import (
	"cmp"
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// Restart is how long a control plane may be unreachable while it restarts. The provider repeats writes and follows changes for that long. A control plane that
// is upgraded or moved to another machine is reachable again within two minutes. A kubelet waits up to 40 seconds before it starts an API server that has exited
// for the third time. If the provider stopped earlier, it would leave a change in progress.
const Restart = 2 * time.Minute

const repeatInterval = time.Second

// Attempts is the maximum number of attempts to write an object that others change at the same time.
const Attempts = 5

// Retry is a kind of error after which a write is repeated, for some time after the first attempt.
type Retry struct {
	Matches func(error) bool
	For     time.Duration
}

// Repeat calls write, and calls it again once a second if the cluster is unreachable or cannot serve the request, until [Restart] has passed. It also repeats
// write after the errors that more matches, each until its time has passed. It stops if the context ends. It returns the result of the last call.
func Repeat[T any](ctx context.Context, write func() (T, error), more ...Retry) (T, error) {
	retries := append([]Retry{{Matches: kube.IsTransient, For: Restart}}, more...)
	for began := time.Now(); ; {
		out, err := write()
		again := false
		for _, retry := range retries {
			again = again || err != nil && retry.Matches(err) && time.Since(began) < retry.For
		}
		if !again || !clusterset.Pause(ctx, repeatInterval) {
			return out, err
		}
	}
}

// Create creates an object with [Repeat]. If the response to an attempt was lost, a later attempt finds an existing object. isCreated reports whether an earlier
// attempt created this object.
func Create(
	ctx context.Context, cluster *kube.Cluster, want *unstructured.Unstructured, isCreated func(found *unstructured.Unstructured) bool, more ...Retry,
) (*unstructured.Unstructured, error) {
	repeated := false
	return Repeat(ctx, func() (*unstructured.Unstructured, error) {
		stored, err := cluster.Create(ctx, want, kube.WriteOptions{Strict: true})
		if !repeated || !kube.IsAlreadyExists(err) {
			repeated = true
			return stored, err
		}
		found, readErr := ReadNow(ctx, cluster, want)
		if readErr == nil && isCreated(found) {
			return found, nil
		}
		return nil, cmp.Or(readErr, err)
	}, more...)
}

// Delete deletes an object with [Repeat]. It returns nil if the object does not exist, because the response to an earlier attempt may have been lost.
func Delete(ctx context.Context, cluster *kube.Cluster, ref kube.Ref, uid types.UID) error {
	_, err := Repeat(ctx, func() (struct{}, error) {
		return struct{}{}, cluster.Delete(ctx, ref, uid, metav1.DeletePropagationBackground)
	})
	if kube.IsNotFound(err) {
		return nil
	}
	return err
}

// DeleteAndWait deletes an object, and waits until it is gone.
func DeleteAndWait(ctx context.Context, cluster *kube.Cluster, ref kube.Ref, uid types.UID) error {
	if err := Delete(ctx, cluster, ref, uid); err != nil {
		return err
	}
	err := cluster.WaitGone(ctx, ref, uid)
	if kube.IsNotFound(err) {
		return nil
	}
	return err
}

// RepeatConflicts calls write, and calls it again after a conflict, up to [Attempts] times. attempt begins at 1. In later attempts, write must read the object
// again. RepeatConflicts returns a *[ChangingError] if the last attempt conflicts as well.
func RepeatConflicts[T any](write func(attempt int) (T, error)) (T, error) {
	for attempt := 1; ; attempt++ {
		out, err := write(attempt)
		if !kube.IsOutdated(err) {
			return out, err
		}
		if attempt == Attempts {
			return out, &ChangingError{Attempts: attempt, Err: err}
		}
	}
}

// ChangingError is returned if others change an object during each of several attempts to write it.
type ChangingError struct {
	Attempts int
	Err      error
}

func (e *ChangingError) Error() string {
	return fmt.Sprintf("others changed the object during each of %d attempts to write it: %s. Its managedFields name the field managers. Stop these clients, or "+
		"wait until they are done, and apply again", e.Attempts, e.Err)
}

// Unwrap returns the last conflict.
func (e *ChangingError) Unwrap() error { return e.Err }
