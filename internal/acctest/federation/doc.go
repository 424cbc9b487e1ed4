// Package federation has what every engine has to do with workloads that run already: to say beforehand which Pods it restarts, and to take over
// what it can without restarting any. An engine's own acceptance tests hand themselves over to it.
package federation
