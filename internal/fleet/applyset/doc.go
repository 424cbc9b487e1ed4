// Package applyset has the marks by which tools recognise objects that belong together: the labels and annotations of an ApplySet's parent
// and members (KEP-3659, kubectl apply --applyset).
package applyset
