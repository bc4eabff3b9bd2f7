package analyze
import ("testing";"unsafe")
func TestSize(t *testing.T){ t.Log(unsafe.Sizeof(Case{}), unsafe.Sizeof(Header{}), unsafe.Sizeof(Answer{})) }
