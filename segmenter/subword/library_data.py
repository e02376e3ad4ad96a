"""Characters as the package ``tokenizers`` takes them, which rests on several Unicodes.

Written by ``python dicts/make_library_data.py`` with tokenizers 0.23.3: do not edit.  A table is
a row of runs over all code points, each its length in base 36 and its value; :mod:`.characters`
reads it.
"""

from __future__ import annotations

UNNORMALISED = (
    "120. 1.x 1e. 2.x 1n. 2.x fn. 1.x 49. 9.x 16. a.x 8a. 1.x fx. 1.x 72. 2.x al. 1.x 1ne. 1.x "
    "q1. 1e.x lh. 5.x iq. 3.x 3mn. 1.x n3l. 4.x 1j. 1.x n0. 1.x hun. 1.x q. 1.x bg. 5.x 1. 16.x "
    "1. e.x 12c. 4.x 1t. 5.x 8t. 2.x u. 5.x w. c.x 1. 3.x 1y. b.x 1d. 4.x 6i. 1.x ju. 1.x 1z. 1.x "
    "1. 1.x 8. 1.x 2. 1.x 1f. 1.x 1. 2.x 5. 3.x 3x. 1.x re. 2.x 71. 1.x 4. 2.x 4. 1.x 4c. 1.x 2b. "
    "1.x i. 1.x 29. 1.x iw. 1.x 1. 2.x 29. 1.x bt. 2.x d0e. 8.x 6. 1.x 2ew. 3.x hx. 2.x cvl. 4.x "
    "5gv. 10.x tp. 2.x 87. 3.x 8. 2.x 2. 1.x w. 2.x tg. 1.x 1ri. 1.x 1j. 1f.x 1c. 1q.x x. 1.x 4g. "
    "7.x af. 1.x 1p. 4.x e4. 4.x 72. 2.x 6r. 1.x 2. 1.x 7. 2.x 5. 1.x 22e. 1.x 22r. a.x "
)

MARKS = (
    "lc. 34.x 7n. 7.x 7b. 19.x 1. 1.x 1. 2.x 1. 2.x 1. 1.x 20. b.x 1c. l.x g. 1.x 2t. 7.x 2. 6.x "
    "2. 2.x 1. 4.x z. 1.x u. r.x 2j. b.x 1m. 9.x y. 4.x 1. 9.x 1. 3.x 1. 5.x 17. 3.x 3c. e.x 1. "
    "x.x 1i. 3.x 1. i.x 1. 7.x a. 2.x t. 3.x 1k. 1.x 1. 7.x 2. 2.x 2. 3.x 9. 1.x a. 2.x t. 3.x "
    "1k. 1.x 1. 5.x 4. 2.x 2. 3.x 3. 1.x u. 2.x 3. 1.x b. 3.x 1k. 1.x 1. 8.x 1. 3.x 1. 3.x k. 2.x "
    "t. 3.x 1k. 1.x 1. 7.x 2. 2.x 2. 3.x 8. 2.x a. 2.x u. 1.x 1n. 5.x 3. 3.x 1. 4.x 9. 1.x 14. "
    "4.x 1m. 7.x 1. 3.x 1. 4.x 7. 2.x b. 2.x t. 3.x 1k. 1.x 1. 7.x 1. 3.x 1. 4.x 7. 2.x b. 2.x t. "
    "3.x 1m. 7.x 1. 3.x 1. 4.x 9. 1.x a. 2.x u. 2.x 1y. 1.x 4. 6.x 1. 1.x 1. 8.x i. 2.x 1p. 1.x "
    "2. 7.x c. 8.x 2q. 1.x 2. 6.x 1. 2.x b. 6.x 22. 2.x r. 1.x 1. 1.x 1. 1.x 4. 2.x 1d. k.x 1. "
    "2.x 5. b.x 1. 10.x 9. 1.x 2s. k.x n. 4.x 4. 3.x 1. 3.x 2. 7.x 3. 4.x d. c.x 1. 1.x a. 4.x "
    "jj. 3.x qa. 3.x t. 3.x t. 2.x u. 2.x 1s. w.x 9. 1.x 19. 3.x 3b. 2.x y. 1.x 3a. c.x 4. c.x "
    "63. 5.x 1l. a.x 1. t.x 2. 1.x 1c. f.x 1t. 5.x 1b. h.x 12. 9.x c. 3.x u. d.x 1k. e.x 1c. k.x "
    "48. 3.x 1. l.x 4. 1.x 4. 3.x 3. 2.x 5i. 1i.x 5. 5.x k0. x.x 2da. 3.x 3x. 1.x 2o. w.x fe. 6.x "
    "2x. 2.x n9w. 4.x 1. a.x w. 2.x 28. 2.x 7k. 1.x 3. 1.x 4. 1.x n. 5.x 2g. 2.x 1e. i.x q. i.x "
    "1g. 8.x p. d.x 18. 4.x 1b. e.x 10. 1.x 1v. e.x c. 1.x 8. 2.x 19. 3.x 1e. 1.x 1. 3.x 2. 2.x "
    "5. 2.x 1. 1.x 15. 5.x 5. 2.x 6k. 8.x 1. 2.x fn4. 1.x kh. g.x g. g.x r1. 1.x 6a. 1.x 45. 5.x "
    "1ae. 3.x 1. 2.x 5. 4.x 14. 3.x 4. 1.x 4l. 2.x 109. 3.x 1h. f.x 1k. 4.x 19. b.x 1x. 3.x 10. "
    "e.x 1q. 1.x c. 3.x 1c. e.x 9. 3.x 2n. c.x 6. 1.x 4g. c.x l. 4.x 1k. 1.x 1. 7.x 2. 2.x 2. 3.x "
    "9. 1.x a. 2.x 2. 7.x 3. 5.x 5c. i.x 2x. k.x 6j. 7.x 2. 9.x r. 2.x 2a. h.x 2y. d.x 2t. f.x "
    "zn. 8.x 1. 8.x 2a. m.x 1. e.x fg9. 5.x 1n. 7.x t6. 1a.x g. 4.x f7u. 2.x 43q. 5.x 3. 6.x 8. "
    "8.x 2. 7.x u. 4.x 44. 3.x 1iz. 1j.x 4. 1e.x 8. 1.x e. 1.x m. 5.x 1. f.x 11s. 7.x 1. h.x 2. "
    "7.x 1. 2.x 1. 5.x 1ph. 7.x 31. 7.x gzhx. 6o.x "
)

NONSPACING = (
    "lc. 34.x 7n. 5.x 7d. 19.x 1. 1.x 1. 2.x 1. 2.x 1. 1.x 20. b.x 1c. l.x g. 1.x 2t. 7.x 2. 6.x "
    "2. 2.x 1. 4.x z. 1.x u. r.x 2j. b.x 1m. 9.x y. 4.x 1. 9.x 1. 3.x 1. 5.x 17. 3.x 3r. w.x 1j. "
    "1.x 1. 1.x 4. 8.x 4. 1.x 3. 7.x a. 2.x t. 1.x 1m. 1.x 4. 4.x 8. 1.x k. 2.x t. 2.x 1l. 1.x 4. "
    "2.x 4. 2.x 2. 3.x 3. 1.x u. 2.x 3. 1.x b. 2.x 1l. 1.x 4. 5.x 1. 2.x 4. 1.x k. 2.x t. 1.x 1m. "
    "1.x 2. 1.x 1. 4.x 8. 1.x 8. 1.x b. 2.x u. 1.x 1p. 1.x c. 1.x 1e. 1.x 1p. 3.x 5. 3.x 1. 4.x "
    "7. 2.x b. 2.x t. 1.x 1m. 1.x 2. 1.x 6. 1.x 5. 2.x k. 2.x t. 1.x 1r. 4.x 8. 1.x k. 2.x 2u. "
    "1.x 7. 3.x 1. 1.x 2i. 1.x 2. 7.x c. 8.x 2q. 1.x 2. 6.x 1. 2.x b. 6.x 22. 2.x r. 1.x 1. 1.x "
    "1. 1.x 1j. e.x 1. 5.x 1. 2.x 5. b.x 1. 10.x 9. 1.x 2u. 4.x 1. 6.x 1. 2.x 2. 2.x p. 2.x 4. "
    "3.x g. 4.x d. 1.x 2. 2.x 6. 1.x f. 1.x jj. 3.x qa. 3.x t. 3.x t. 2.x u. 2.x 1s. 2.x 1. 7.x "
    "8. 1.x 2. b.x 9. 1.x 19. 3.x 4b. 1.x 3a. 3.x 4. 2.x 9. 1.x 6. 3.x 63. 2.x 2. 1.x 1m. 1.x 1. "
    "7.x 1. 1.x 1. 1.x 2. 8.x 6. a.x 2. 1.x 1c. e.x 1u. 4.x 1c. 1.x 1. 5.x 1. 1.x 5. 1.x 14. 9.x "
    "c. 2.x w. 4.x 2. 2.x 1. 3.x 1k. 1.x 1. 2.x 3. 1.x 1. 3.x 1m. 8.x 2. 2.x 48. 3.x 1. d.x 1. "
    "7.x 4. 1.x 6. 1.x 3. 2.x 5i. 1i.x 6. 4.x k0. d.x 4. 1.x 3. c.x 2da. 3.x 3x. 1.x 2o. w.x fe. "
    "4.x 2z. 2.x n9w. 1.x 4. a.x w. 2.x 28. 2.x 7k. 1.x 3. 1.x 4. 1.x p. 2.x 4d. 1.x r. i.x 1g. "
    "8.x p. b.x 1a. 3.x 1c. 1.x 2. 4.x 2. 1.x 14. 1.x 1v. 6.x 2. 2.x 2. 2.x c. 1.x 8. 1.x 1b. 1.x "
    "1f. 1.x 1. 3.x 2. 2.x 5. 2.x 1. 1.x 16. 2.x 8. 1.x 6m. 1.x 2. 1.x 4. 1.x fn4. 1.x kh. g.x g. "
    "g.x r1. 1.x 6a. 1.x 45. 5.x 1ae. 3.x 1. 2.x 5. 4.x 14. 3.x 4. 1.x 4l. 2.x 10a. 1.x 1i. f.x "
    "1k. 3.x 1d. 4.x 2. 2.x 1x. 3.x 10. 5.x 1. 8.x 1q. 1.x c. 2.x 1g. 9.x b. 3.x 2q. 3.x 2. 1.x "
    "1. 2.x 4n. 1.x 3. 8.x l. 2.x 1m. 1.x 3. 1.x 11. 7.x 3. 5.x 8u. 6.x 1. 1.x 4. 2.x 1. 2.x 6m. "
    "4.x 6. 2.x 1. 2.x r. 2.x 2d. 8.x 2. 1.x 1. 2.x 2y. 1.x 1. 1.x 2. 6.x 1. 1.x 2t. 3.x 2. 4.x "
    "1. 5.x gjo. 5.x 1n. 7.x uw. 4.x f7u. 2.x 43s. 3.x h. 8.x 2. 7.x u. 4.x 44. 3.x 1iz. 1j.x 4. "
    "1e.x 8. 1.x e. 1.x m. 5.x 1. f.x 2sg. 7.x gzl5. 6o.x "
)

UNCLEAN = (
    "9.x 2. 2.x 1. i.x 2n. x.x d. 1.x 11u. 6.x m. 1.x 5c. 1.x 1d. 1.x 3cu. 1.x 1ks. 5.x q. 5.x "
    "1d. 5.x 1. a.x 11u8. 4xs.x 16n. 1.x 6x. 3.x 1. 1.x 3b3. 1.x xya. 4.x 43z. 8.x h406. 1.x u. "
    "2o.x 1egw. 1eke.x 2. 1eke.x "
)

PUNCTUATION = (
    "x. f.x a. 7.x q. 6.x q. 4.x y. 1.x 5. 1.x 3. 1.x a. 2.x 3. 1.x 3. 1.x ji. 1.x 8. 1.x cy. 6.x "
    "15. 2.x 1f. 1.x 1. 1.x 2. 1.x 2. 1.x 18. 2.x k. 2.x 1. 2.x d. 1.x 2. 2.x 22. 4.x 2u. 1.x 17. "
    "e.x 6h. 3.x 1i. f.x v. 1.x 79. 2.x a. 1.x an. 1.x lf. 1.x 2i. 1.x a. 2.x 4o. f.x 1. 1.x 11. "
    "4.x 1z. 1.x 22. 5.x 4. 2.x 33. 6.x 4r. 1.x h0. 9.x 47. 1.x h8. 2.x 18. 2.x 26. 3.x 1z. 2.x "
    "4d. 3.x 1. 3.x 11. b.x 8p. 2.x 60. 2.x 3k. 7.x 1. 6.x 4s. 7.x 4b. 4.x 1n. 5.x 1q. 2.x 1s. "
    "8.x b. 1.x n0. o.x 8. k.x 1. d.x 1. c.x u. 2.x e. 2.x hl. 4.x t. 2.x u5. e.x 27. 2.x v. a.x "
    "b7. m.x 1r. 4.x w. 2.x l7. 4.x 1. 2.x 34. 1.x 3z. 1b.x 1. j.x ce. 3.x 4. a.x 2. c.x g. 1.x "
    "c. 1.x 2q. 1.x 2i. 1.x mwy. 2.x 7h. 3.x 2r. 1.x a. 1.x 37. 6.x ak. 4.x 2e. 2.x 14. 3.x 1. "
    "1.x 1d. 2.x 1b. 1.x 2p. d.x g. 2.x 3g. 4.x 3i. 2.x g. 2.x 6x. 1.x g2a. 2.x 5s. a.x m. z.x 1. "
    "e.x 1. 1.x 4. 1.x 1. 2.x 45. 3.x 1. 6.x 1. 4.x a. 2.x 3. 2.x q. 3.x 1. 1.x r. 1.x 1. 1.x 1. "
    "7.x be. 3.x ik. 1.x 1c. 1.x bi. 1.x kn. 1.x 5j. 1.x v. 1.x 7k. 9.x 12. 1.x 34. 7.x 1u. 7.x "
    "2h. 4.x x6. 7.x 31. 2.x 1. 4.x 3i. 4.x 1c. 2.x 27. 5.x 3. 1.x d. 1.x 1. 3.x 2g. 6.x 2z. 1.x "
    "f0. 1.x 6y. n.x 2x. 3.x 6w. 3.x 2lt. 5.x dtl. 2.x 3p. 1.x 1t. 5.x 8. 1.x g2i. 1.x 5wn. 5.x "
)

NUMERIC = (
    "1c. a.x 3c. 2.x 5. 1.x 2. 3.x 141. a.x 3q. a.x 5i. a.x bg. a.x 3a. a.x 4. 6.x 30. a.x 3a. "
    "a.x 3a. a.x 2. 6.x 32. d.x 37. a.x 8. 7.x 2v. a.x 2w. 7.x 7. j.x 31. a.x 2o. a.x 3a. a.x 1y. "
    "k.x 7g. a.x 1y. a.x jz. k.x oh. 3.x 6n. a.x 6. a.x m. a.x 8c. a.x 3k. b.x 4l. a.x 6. a.x 52. "
    "a.x 2e. a.x 3q. a.x 6. a.x t2. 1.x 3. 6.x 6. a.x 5i. 1f.x 2. 5.x k6. 1o.x 26. m.x hi. u.x "
    "12h. 1.x ll. 1.x p. 9.x e. 3.x 9j. 4.x 3u. a.x u. 8.x 1. f.x w. a.x 13. f.x msg. a.x 58. a.x "
    "8w. 6.x 4a. a.x 12. a.x 5i. a.x m. a.x 2e. a.x ba. a.x geu. a.x dp. 19.x c. 1l.x h. 2.x 9h. "
    "r.x 10. 4.x t. 1.x 8. 1.x 3q. 5.x 5m. a.x q6. 8.x p. 7.x 13. 9.x 23. 5.x m. 6.x 4g. 2.x 2. "
    "g.x 2. 1a.x 1s. 9.x 1g. 2.x u. 3.x 23. 5.x 2w. 8.x o. 8.x 15. 7.x 96. 6.x 1c. a.x 6. a.x 7q. "
    "v.x 4e. a.x 16. 4.x 34. 7.x 3q. u.x 3k. a.x 1o. a.x 40. a.x 7. k.x 6z. a.x 9i. a.x 3a. a.x "
    "ae. a.x 2u. a.x 6. k.x 24. c.x bo. j.x 2l. a.x ie. a.x 2e. t.x 6b. a.x 1y. a.x 1i. a.x 9y. "
    "a.x 2u. l.x tn. 33.x c01. a.x 1t2. a.x 2e. a.x 3q. a.x 1. 7.x em. a.x 7a. n.x 9p. 3.x id5. "
    "a.x 152. k.x c. k.x 30. p.x ut. 1e.x 1ts. a.x bq. a.x dy. a.x 6v. a.x jw. 9.x 3k. a.x lz. "
    "1n.x 1. 3.x 1. 4.x 24. 19.x 1. f.x qq. d.x 25f. a.x "
)

EXTENDING = (
    "lc. 34.x 7n. 7.x 7b. 19.x 1. 1.x 1. 2.x 1. 2.x 1. 1.x 20. b.x 1c. l.x g. 1.x 2t. 7.x 2. 6.x "
    "2. 2.x 1. 4.x z. 1.x u. r.x 2j. b.x 1m. 9.x 9. 1.x o. 4.x 1. 9.x 1. 3.x 1. 5.x 17. 3.x 1n. "
    "9.x 16. o.x 1. x.x 1i. 3.x 1. i.x 1. 7.x a. 2.x t. 3.x 1k. 1.x 1. 7.x 2. 2.x 2. 3.x 9. 1.x "
    "a. 2.x q. 1.x 2. 3.x 1k. 1.x 1. 5.x 4. 2.x 2. 3.x 3. 1.x u. 2.x 3. 1.x b. 3.x 1k. 1.x 1. 8.x "
    "1. 3.x 1. 3.x k. 2.x m. 6.x 1. 3.x 1k. 1.x 1. 7.x 2. 2.x 2. 3.x 7. 3.x a. 2.x u. 1.x 1n. 5.x "
    "3. 3.x 1. 4.x 9. 1.x 14. 5.x 1j. 1.x 1. 7.x 1. 3.x 1. 4.x 7. 2.x b. 2.x t. 3.x 1k. 1.x 1. "
    "7.x 1. 3.x 1. 4.x 7. 2.x b. 2.x f. 1.x c. 4.x 1j. 2.x 1. 7.x 1. 3.x 1. 4.x 9. 1.x a. 2.x t. "
    "3.x 1y. 1.x 4. 6.x 1. 1.x 1. 8.x i. 2.x 1p. 1.x 1. 8.x c. 8.x 2q. 1.x 1. a.x b. 7.x 21. 2.x "
    "r. 1.x 1. 1.x 1. 1.x 4. 2.x 1d. k.x 1. 2.x 5. b.x 1. 10.x 9. 1.x 2u. b.x 1. 6.x n. 4.x 4. "
    "3.x g. 4.x d. 1.x 1. 3.x 6. 1.x f. 1.x jj. 3.x qa. 4.x s. 3.x t. 2.x u. 2.x 1s. w.x 9. 1.x "
    "19. 3.x 1. 1.x 39. 2.x y. 1.x 3a. c.x 4. c.x 63. 5.x 1l. a.x 1. 1.x 1. 1.x 2. o.x 2. 1.x 1c. "
    "1a.x 2. c.x k. 5.x 1b. h.x 12. 9.x c. 3.x u. d.x 1k. e.x 1c. k.x 48. 3.x 1. l.x 4. 1.x 6. "
    "1.x 2. 3.x 5i. 1s.x ek. 2.x 5e. x.x 2da. 3.x 3x. 1.x 2o. w.x fe. 6.x 2x. 2.x n9w. 4.x 1. a.x "
    "w. 2.x 28. 2.x 7k. 1.x 3. 1.x 4. 1.x n. 5.x 4. 1.x 2b. 2.x 1e. i.x q. i.x d. 1.x 12. 8.x p. "
    "d.x 18. 4.x 1b. e.x 10. 1.x 1v. e.x c. 1.x 8. 2.x 1a. 1.x 1f. 1.x 1. 3.x 2. 2.x 5. 2.x 1. "
    "1.x 15. 5.x 5. 2.x 6k. 8.x 1. 2.x fn4. 1.x kh. g.x g. g.x a6. 2.x gt. 1.x 6a. 1.x 45. 5.x "
    "1ae. 3.x 1. 2.x 5. 4.x 14. 3.x 4. 1.x 4l. 2.x fx. 4.x 1t. 5.x 8t. 2.x 25. 6.x 1y. b.x 1d. "
    "4.x 3e. 3.x 1h. f.x 15. 1.x 2. 2.x a. 4.x 19. b.x 7. 1.x 1p. 3.x 10. e.x g. 2.x 18. 1.x c. "
    "3.x 1c. e.x 8. 4.x 1. 2.x 2k. c.x 6. 1.x 2. 1.x 4d. c.x l. 4.x 1j. 2.x 1. 7.x 2. 2.x 2. 3.x "
    "9. 1.x a. 2.x 2. 7.x 3. 5.x 1v. 9.x 1. 1.x 2. 1.x 1. 4.x 1. 5.x 1. 1.x e. 2.x 2a. i.x n. 1.x "
    "29. k.x 6j. 7.x 2. 9.x r. 2.x 2a. h.x 2y. d.x 2t. 3.x 2. a.x 74. f.x 6t. 6.x 1. 2.x 2. 4.x "
    "1. 1.x 1. 2.x 3x. 7.x 2. 7.x 3. 1.x s. a.x 14. 7.x 1. 4.x 8. 1.x 9. b.x 1a. g.x 5i. 8.x 5j. "
    "8.x 1. 8.x 2a. m.x 1. e.x 3e. 6.x 3. 1.x 1. 2.x 1. 7.x 1. 1.x 1u. 5.x 1. 2.x 1. 5.x 9n. 4.x "
    "9. 2.x 1. 1.x 1c. 7.x 3. 5.x n. 1.x 44l. 1.x 6. f.x 8ug. i.x 1xc. 5.x 1n. 7.x t4. 1.x 1. "
    "1j.x 7. 4.x 29. 1.x b. 2.x f57. 2.x 3mp. 1a.x 2. n.x f2. 5.x 3. 6.x 8. 8.x 2. 7.x u. 4.x 44. "
    "3.x 1iz. 1j.x 4. 1e.x 8. 1.x e. 1.x m. 5.x 1. f.x 11s. 7.x 1. h.x 2. 7.x 1. 2.x 1. 5.x 2s. "
    "1.x 4g. 7.x af. 1.x 1p. 4.x e4. 4.x 72. 2.x 6r. 1.x 2. 1.x 7. 2.x 5. 1.x d6. 7.x 31. 7.x "
    "240. 5.x gx7k. 2o.x 3k. 6o.x "
)

LOWERED = (
    "1c89.1c8a a7cb.264 a7cc.a7cd a7ce.a7cf a7d2.a7d3 a7d4.a7d5 a7da.a7db a7dc.19b 10d50.10d70 "
    "10d51.10d71 10d52.10d72 10d53.10d73 10d54.10d74 10d55.10d75 10d56.10d76 10d57.10d77 "
    "10d58.10d78 10d59.10d79 10d5a.10d7a 10d5b.10d7b 10d5c.10d7c 10d5d.10d7d 10d5e.10d7e "
    "10d5f.10d7f 10d60.10d80 10d61.10d81 10d62.10d82 10d63.10d83 10d64.10d84 10d65.10d85 "
    "16ea0.16ebb 16ea1.16ebc 16ea2.16ebd 16ea3.16ebe 16ea4.16ebf 16ea5.16ec0 16ea6.16ec1 "
    "16ea7.16ec2 16ea8.16ec3 16ea9.16ec4 16eaa.16ec5 16eab.16ec6 16eac.16ec7 16ead.16ec8 "
    "16eae.16ec9 16eaf.16eca 16eb0.16ecb 16eb1.16ecc 16eb2.16ecd 16eb3.16ece 16eb4.16ecf "
    "16eb5.16ed0 16eb6.16ed1 16eb7.16ed2 16eb8.16ed3 "
)
