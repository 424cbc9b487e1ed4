package documents

import "testing"

// No output is shown that is not compared.
func TestDocumentedOutputsAreMarked(t *testing.T) { Unmarked(t) }
