# The text of pieces.


cdef extern from "subword/bindings/int_list.hpp" namespace "segmenter":
    cdef cppclass CPieceBytes "segmenter::PieceBytes":
        pass
    object text_of_ids(list ids, CPieceBytes& pieces, object bytes_of) except +
