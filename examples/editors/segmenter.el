;;; segmenter.el --- Chinese words in Emacs  -*- lexical-binding: t; -*-

;; Version: 0.1
;; Package-Requires: ((emacs "26.1"))

;;; Commentary:

;; In `segmenter-mode' a run of Han characters is made of words, not one word: M-f, M-b, M-d,
;; M-DEL, M-t, M-@ and `thing-at-point' stop where segmenter-zh cuts.
;;
;;   (load "/path/to/examples/editors/segmenter.el")
;;   (add-hook 'text-mode-hook #'segmenter-mode)
;;
;; A running command line of segmenter-zh cuts the lines.

;;; Code:

(require 'json)

(defgroup segmenter nil "Chinese words." :group 'editing)

(defcustom segmenter-command '("segmenter" "cut" "--preset" "fast" "--quiet")
  "The program that cuts lines, and its arguments, such as --user FILE."
  :type '(repeat string))

(defconst segmenter--seconds 30 "Longest time of an answer.")

(defvar segmenter--process nil "The running program.")
(defvar segmenter--output "" "Its output since the last request.")
(defvar segmenter--last nil "The last line and its words.")

(defun segmenter--request (line)
  "The words of LINE."
  (unless (process-live-p segmenter--process)
    (let ((coding-system-for-read 'utf-8-unix) (coding-system-for-write 'utf-8-unix))
      (setq segmenter--process
            (make-process
             :name "segmenter" :noquery t :connection-type 'pipe
             :command (append segmenter-command '("--json"))
             :filter (lambda (_ text) (setq segmenter--output (concat segmenter--output text)))))))
  (setq segmenter--output "")
  (process-send-string segmenter--process (concat line "\n"))
  (let ((until (time-add nil segmenter--seconds)))
    (while (and (not (string-suffix-p "\n" segmenter--output))
                (time-less-p nil until)
                (or (accept-process-output segmenter--process 1)
                    (process-live-p segmenter--process)))))
  (unless (string-match-p "\\`\\[.*\n\\'" segmenter--output)
    (error "Segmenter: %s" (if (equal segmenter--output "") "no answer" segmenter--output)))
  (let ((json-array-type 'list))
    (json-read-from-string segmenter--output)))

(defun segmenter--words (line)
  "The words of LINE; joined they are LINE."
  (unless (equal line (car segmenter--last))
    (setq segmenter--last (cons line (segmenter--request line))))
  (cdr segmenter--last))

(defun segmenter--boundary (pos limit)
  "The end of the word at POS, or its start if LIMIT is not after POS.
For `find-word-boundary-function-table'."
  (save-excursion
    (save-match-data
      (let* ((forward (< pos limit))
             (start (progn (goto-char pos) (line-beginning-position)))
             (line (buffer-substring-no-properties start (line-end-position)))
             (end start))
        (dolist (word (segmenter--words line))
          (when (<= end pos)
            (setq start end end (+ end (length word)))))
        (if forward (min end limit) (max start limit))))))

(defvar segmenter--table
  (let ((table (make-char-table nil)))
    (dolist (range '((#x3400 . #x4dbf) (#x4e00 . #x9fff) (#xf900 . #xfaff) (#x20000 . #x323af)))
      (set-char-table-range table range #'segmenter--boundary))
    table)
  "The boundary function of Han characters.")

;;;###autoload
(define-minor-mode segmenter-mode
  "Words of Chinese text are words to Emacs."
  :lighter " 词"
  (if segmenter-mode
      (setq-local find-word-boundary-function-table segmenter--table)
    (kill-local-variable 'find-word-boundary-function-table)))

(provide 'segmenter)
;;; segmenter.el ends here
