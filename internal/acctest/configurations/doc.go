// Package configurations validates the configurations that documents show. Most of them are parts of a configuration: the package completes a part with the
// blocks of the same page to which it refers, and with stubs, so that terraform validate accepts it exactly if the part itself is valid.
package configurations
