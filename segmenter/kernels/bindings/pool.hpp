// A pool of idle working memory, from which calls borrow until they end.
//
// Guarded by the GIL. A re-entrant call (from a finalizer while a list is created) does not find
// the outer call's memory in the pool, and gets another.
#pragma once
#include <vector>

namespace segmenter {

template <class T>
class Pool {
 public:
  Pool() = default;
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  ~Pool() {
    for (T* one : idle_) delete one;
  }
  T* take() {
    if (idle_.empty()) return new T();
    T* const one = idle_.back();
    idle_.pop_back();
    return one;
  }
  void give(T* one) { idle_.push_back(one); }

 private:
  std::vector<T*> idle_;
};

// One object from a pool, returned when the lease goes out of scope.
template <class T>
class Lease {
 public:
  ~Lease() {
    if (pool_) pool_->give(one_);
  }
  T* take(Pool<T>& pool) {
    one_ = pool.take();
    pool_ = &pool;
    return one_;
  }

 private:
  Pool<T>* pool_ = nullptr;
  T* one_ = nullptr;
};

// One object per thread.
template <class T>
class Leases {
 public:
  std::vector<T*> all;
  ~Leases() {
    for (T* one : all) pool_->give(one);
  }
  void take(Pool<T>& pool, int threads) {
    pool_ = &pool;
    for (int i = 0; i < threads; ++i) all.push_back(pool.take());
  }

 private:
  Pool<T>* pool_ = nullptr;
};

}  // namespace segmenter
