// Package applyset has the labels and annotations with which tools group objects: those of an ApplySet's parent and members (KEP-3659, kubectl
// apply --applyset).
package applyset
