package documents

import "testing"

// Every output in the documents is compared.
func TestDocumentedOutputsAreMarked(t *testing.T) { Unmarked(t) }
