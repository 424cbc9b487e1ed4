package controlplane

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/testcluster/process"
)

const (
	// kwok is the component that simulates the pods of a node.
	kwok = "kwok"
	// kwokRestarts bounds how often kwok is restarted, so that a kwok that cannot run is reported.
	kwokRestarts = 5
	// releaseTimeout bounds the request that releases the node.
	releaseTimeout = 10 * time.Second
)

// startKwok starts kwok, and restarts it if it ends by itself: kwok 0.8.0 compiles a stage when the first pod reaches the stage, and ends with "concurrent map
// read and map write" if two pods reach it at the same time.
func (c *Cluster) startKwok(ctx context.Context) error {
	c.mu.Lock()
	stops := c.stops
	c.mu.Unlock()
	child, err := c.spawn(kwok, controllerMemory, c.kwokFlags())
	if err != nil {
		return err
	}
	go c.keepKwok(context.WithoutCancel(ctx), child, stops)
	return nil
}

// keepKwok restarts kwok until the cluster is stopped. stops is the value of c.stops when kwok was started.
func (c *Cluster) keepKwok(ctx context.Context, child *process.Child, stops int) {
	for restarts := 0; ; restarts++ {
		<-child.Done()
		if !c.disown(child, stops) {
			return
		}
		err := child.Failure()
		if restarts < kwokRestarts {
			child, err = c.restartKwok(ctx)
		}
		if err != nil {
			c.Failed(fmt.Errorf("%s: %w", c.Name, err))
			return
		}
		if c.isStopped(stops) { // during the restart, so nothing else kills this kwok
			child.Kill()
		}
	}
}

// restartKwok releases the node first, because another kwok would wait until the lease of the ended one expires.
func (c *Cluster) restartKwok(ctx context.Context) (*process.Child, error) {
	ctx, cancel := context.WithTimeout(ctx, releaseTimeout)
	defer cancel()
	api := newAPI(c.URL(), c.tls)
	defer api.client.CloseIdleConnections()
	if err := c.releaseNode(ctx, api); err != nil {
		return nil, err
	}
	return c.spawn(kwok, controllerMemory, c.kwokFlags())
}

// disown removes an ended process from those of the cluster. It reports whether the cluster still runs.
func (c *Cluster) disown(child *process.Child, stops int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.children = slices.DeleteFunc(c.children, func(other *process.Child) bool { return other == child })
	return c.stops == stops
}

// isStopped reports whether the processes have been killed since c.stops had the value stops.
func (c *Cluster) isStopped(stops int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.stops != stops
}
